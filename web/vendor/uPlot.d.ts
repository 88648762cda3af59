/** The plotter, as far as the pages use it. */
export default class uPlot {
  constructor(options: object, data: Array<Array<number | null>>, place: Element);
  setSize(size: { width: number; height: number }): void;
  destroy(): void;
}
