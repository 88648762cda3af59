/** The table page for a television: the stage fills the screen, and a host's controls lie in a slim drawer. */

import "./table.js";
