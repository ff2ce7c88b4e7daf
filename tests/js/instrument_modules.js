// Every instrument's module, by the name that campaign files use. Checked by tsc as well.

import * as best_worst from "../../static/js/instruments/best_worst.js";
import * as checklist from "../../static/js/instruments/checklist.js";
import * as choice from "../../static/js/instruments/choice.js";
import * as click_target from "../../static/js/instruments/click_target.js";
import * as count from "../../static/js/instruments/count.js";
import * as likert from "../../static/js/instruments/likert.js";
import * as mr_coverage from "../../static/js/instruments/mr_coverage.js";
import * as preference from "../../static/js/instruments/preference.js";
import * as rankme from "../../static/js/instruments/rankme.js";
import * as response_time from "../../static/js/instruments/response_time.js";
import * as slider from "../../static/js/instruments/slider.js";
import * as text from "../../static/js/instruments/text.js";

/** @type {Record<string, import("../../static/js/instruments/contract.js").InstrumentModule>} */
export const INSTRUMENT_MODULES = {
  best_worst,
  checklist,
  choice,
  click_target,
  count,
  likert,
  mr_coverage,
  preference,
  rankme,
  response_time,
  slider,
  text,
};
