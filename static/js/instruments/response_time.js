// The time that a timed screen took; the screen itself sets it (see work/timed.js).

/** @import { TimedOptions } from "../work/types.js" */
/** @import { Mount } from "./contract.js" */

/** @type {Mount<TimedOptions, number | null | undefined>} */
export function mount() {
  /** @type {number | null | undefined} */
  let value;
  return {
    value: () => value,
    isAnswered: () => value !== undefined,
    problem: () => "",
    setValue(milliseconds) {
      value = milliseconds;
    },
    settleTime(milliseconds) {
      value = milliseconds;
      return true;
    },
    focus() {},
  };
}
