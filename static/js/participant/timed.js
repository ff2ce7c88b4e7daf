// A screen whose time is the measurement: bell and fixation, then the stimulus, then one response.

import { painted, ready } from "./timing.js";

/**
 * Show the mark, then the stimulus; resolves with the onset.
 * tools: {nextFrame, wait(ms), fonts, bell}
 */
export async function present(form, timed, tools) {
  form.classList.add("is-fixating");
  await ready(form, tools.fonts);
  if (timed.bell) tools.bell.ring();
  if (timed.fixation_ms) await tools.wait(timed.fixation_ms);
  await new Promise(tools.nextFrame);
  form.classList.remove("is-fixating");
  return painted(tools.nextFrame);
}

/**
 * The time stamp of the response, or null when the time ran out.
 * watch(respond): calls respond(time stamp) for whatever counts as a response, returns an undo
 */
export function response({ onset, timeoutMs, watch, tools }) {
  return new Promise((resolve) => {
    const end = onset + timeoutMs;
    const settle = (stamp) => {
      tools.clearTimeout(timer);
      unwatch();
      resolve(stamp);
    };
    const unwatch = watch((stamp) => settle(stamp <= end ? stamp : null));
    // A busy page may run this timer before a key that was pressed in time: let those come first.
    const timer = tools.setTimeout(
      () => tools.setTimeout(() => settle(null), 50),
      Math.max(0, end - tools.now()),
    );
  });
}
