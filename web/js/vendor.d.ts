/** The plotter, as far as the pages use it. */
declare const uPlot: any;
export default uPlot;
