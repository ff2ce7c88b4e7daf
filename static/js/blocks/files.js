// Pictures, sounds and films of a screen, what raters did with them, and what they have not played yet.

import { make, optionalPart, part } from "../parts.js";
import { say } from "../work/notices.js";

/** @import { Material, PlayedFile, TrialFile, Words } from "../work/types.js" */

const MOST_EVENTS = 100;
// Of the 20,000 bytes that the server takes of a screen (LARGEST_SCREEN), for the logs of all files.
const MOST_BYTES = 6_000;
// What a long one of each needs in JSON, with its comma.
const EVENT_BYTES = 34;
const SPAN_BYTES = 24;
const REST_BYTES = 80;
// Browsers end a little before or after the length that the file states.
const TOLERANCE_SECONDS = 0.35;

/**
 * @typedef {[from: number, to: number]} Span
 * @typedef {{ element: HTMLImageElement | HTMLMediaElement, log: PlayedFile, mustEnd: boolean, stop: () => void,
 *   earlier: Span[] }} Player
 */

/**
 * Put the files of a trial into its screen.
 *
 * @param {HTMLElement} form
 * @param {HTMLElement[]} rows one for each output
 * @param {Material} material
 * @param {Words} words
 */
export function mountFiles(form, rows, material, words) {
  /** @type {Player[]} */
  const players = [];
  /** @type {() => number} */
  let clock = () => 0;
  /**
   * @param {HTMLElement | null} holder
   * @param {TrialFile | null | undefined} file
   * @param {number | null} place
   * @param {string} name
   */
  const mount = (holder, file, place, name) => {
    if (!holder || !file) return;
    players.push(mountFile({ holder, file, place, name, words, now: () => clock() }));
  };
  const input = optionalPart(form, "[data-file=input]");
  mount(input, material.input_file, null, nameOf(material.input_file, 0, words));
  rows.forEach((row, index) => {
    const file = material.output_files?.[index];
    const name = nameOf(file, index + 1, words);
    mount(optionalPart(row, "[data-file=output]"), file, index, name);
    if (!file || material.outputs?.[index]) return;
    part(row, "[data-output-name]").textContent = name;
    /** @type {HTMLElement} */ (part(row, "[data-fill=output]").parentElement).hidden = true;
  });
  if (material.input_file) hideEmptyInput(form);
  onlyOneAtATime(players);
  const unplayed = () => players.find((player) => player.mustEnd && !isPlayed(player));
  return {
    /** @param {() => number} now milliseconds since the screen was seen */
    start(now) {
      clock = now;
    },
    problem: () => (unplayed() ? words.play_to_end : ""),
    focus: () => unplayed()?.element.focus(),
    logs: () => shortened(players.map(logOf).filter(({ events }) => events.length)),
    /** @param {PlayedFile[]} logs those of the page before a reload */
    restore(logs) {
      for (const log of logs) {
        const player = players.find(({ log: own }) => own.place === log.place);
        if (player) Object.assign(player, { log: { ...log }, earlier: log.played });
      }
    },
    stop() {
      for (const player of players) player.stop();
    },
  };
}

/**
 * @param {TrialFile | null | undefined} file
 * @param {number} number 0 for the input
 * @param {Words} words
 */
function nameOf(file, number, words) {
  const kind = file?.kind ?? "picture";
  return number ? say(words, `${kind}_number`, { number }) : words[`the_${kind}`];
}

/** @param {HTMLElement} form */
function hideEmptyInput(form) {
  const text = optionalPart(form, "[data-fill=input]");
  if (text && !text.textContent?.trim()) text.hidden = true;
}

/**
 * @param {{ holder: HTMLElement, file: TrialFile, place: number | null, name: string,
 *   words: Words, now: () => number }} parts
 * @returns {Player}
 */
function mountFile({ holder, file, place, name, words, now }) {
  /** @type {PlayedFile} */
  const log = { place, kind: file.kind, events: [], played: [], ended: false };
  const element = newElement(file, name);
  const problem = failure(holder, words);
  /** @type {Player} */
  const player = {
    element,
    log,
    mustEnd: "playToEnd" in holder.dataset && file.kind !== "picture",
    earlier: [],
    stop() {
      if (element instanceof HTMLMediaElement) element.pause();
    },
  };
  /** @param {string} what */
  const note = (what) => {
    const seconds = element instanceof HTMLMediaElement ? element.currentTime : 0;
    const position = Math.round(seconds * 1_000) / 1_000;
    noteEvent(player.log, [what, Math.round(now()), position]);
  };
  element.addEventListener("error", () => {
    note("error");
    problem.hidden = false;
  });
  part(problem, "button").addEventListener("click", () => {
    note("retry");
    problem.hidden = true;
    element.src = `${file.address}?again=${player.log.events.length}`;
  });
  for (const what of ["play", "pause", "seeked", "ended"]) {
    element.addEventListener(what, () => {
      note(what);
      if (what === "ended") player.log.ended = true;
      if (isPlayed(player)) holder.dataset.played = "";
    });
  }
  element.src = file.address;
  holder.prepend(element);
  return player;
}

/**
 * @param {TrialFile} file
 * @param {string} name
 */
function newElement(file, name) {
  const className = `file file-${file.kind}`;
  if (file.kind === "picture") {
    const picture = document.createElement("img");
    return Object.assign(picture, { className, alt: file.alt || name, draggable: false });
  }
  const element = document.createElement(file.kind === "sound" ? "audio" : "video");
  element.className = className;
  element.controls = true;
  element.preload = "metadata";
  element.setAttribute("controlslist", "nodownload noplaybackrate noremoteplayback");
  element.disableRemotePlayback = true;
  Object.assign(element, { disablePictureInPicture: true, playsInline: true });
  element.setAttribute("aria-label", file.alt ? `${name}: ${file.alt}` : name);
  element.addEventListener("contextmenu", (event) => event.preventDefault());
  return element;
}

/**
 * What is said where a file does not load, with a button that tries again.
 *
 * @param {HTMLElement} holder
 * @param {Words} words
 */
function failure(holder, words) {
  const line = make(holder, "p", "row file-problem error-text", `${words.file_failed} `);
  line.setAttribute("role", "alert");
  line.hidden = true;
  make(line, "button", "button small", words.load_again).type = "button";
  return line;
}

/** @param {Player[]} players */
function onlyOneAtATime(players) {
  for (const { element } of players) {
    element.addEventListener("play", () => {
      for (const other of players) if (other.element !== element) other.stop();
    });
  }
}

/** @param {Player} player */
function logOf(player) {
  const { element, earlier, log } = player;
  const now = element instanceof HTMLMediaElement ? spansOf(element.played) : [];
  return { ...log, played: joined([...earlier, ...now]) };
}

/** @param {TimeRanges} ranges */
const spansOf = (ranges) =>
  Array.from(
    { length: ranges.length },
    (_, index) =>
      /** @type {Span} */ ([
        Math.round(ranges.start(index) * 1_000) / 1_000,
        Math.round(ranges.end(index) * 1_000) / 1_000,
      ]),
  );

/**
 * Spans in order, those that touch as one.
 *
 * @param {Span[]} spans
 */
export function joined(spans) {
  /** @type {Span[]} */
  const found = [];
  for (const [from, to] of [...spans].sort(([one], [other]) => one - other)) {
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

/**
 * Add an event while there is room, and the first error always: only if the server reads of one,
 * it lets raters go on without the file.
 *
 * @param {PlayedFile} log
 * @param {PlayedFile["events"][number]} event
 */
export function noteEvent(log, event) {
  const isFirstError = event[0] === "error" && !hasFailed(log);
  if (log.events.length < MOST_EVENTS || isFirstError) log.events.push(event);
}

/**
 * Logs that fit into a screen together, because the server would refuse the answers with them.
 * What decides whether a file was played stays: the first error, and all of the time that was heard.
 *
 * @param {PlayedFile[]} logs
 * @returns {PlayedFile[]}
 */
export function shortened(logs) {
  const share = MOST_BYTES / logs.length - REST_BYTES;
  const mostSpans = Math.max(1, Math.floor(share / 4 / SPAN_BYTES));
  return logs.map((log) => {
    const played = bridged(log.played, mostSpans);
    const left = Math.max(0, share - played.length * SPAN_BYTES);
    return { ...log, played, events: firstOf(log.events, Math.floor(left / EVENT_BYTES)) };
  });
}

/**
 * At most so many spans: the shortest gaps count as played, which is in the rater's favour.
 *
 * @param {Span[]} spans in order
 * @param {number} most
 * @returns {Span[]}
 */
function bridged(spans, most) {
  if (spans.length <= most) return spans;
  const gaps = spans.slice(1).map(([from], index) => ({ index, length: from - spans[index][1] }));
  const closed = gaps.sort((one, other) => one.length - other.length);
  const bridges = new Set(closed.slice(0, spans.length - most).map(({ index }) => index));
  /** @type {Span[]} */
  const found = [];
  for (const [index, [from, to]] of spans.entries()) {
    if (bridges.has(index - 1)) found[found.length - 1][1] = to;
    else found.push([from, to]);
  }
  return found;
}

/**
 * The first events, and the first error whenever it came.
 *
 * @param {PlayedFile["events"]} events
 * @param {number} most
 */
function firstOf(events, most) {
  const error = events.findIndex(([what]) => what === "error");
  if (error < most) return events.slice(0, most);
  return [...events.slice(0, Math.max(0, most - 1)), events[error]];
}

/**
 * All of it was heard, or it cannot be heard: then the rater goes on, and the answer says so.
 *
 * @param {Player} player
 */
function isPlayed(player) {
  const { element, log } = player;
  if (!(element instanceof HTMLMediaElement)) return true;
  if (element.error && hasFailed(log)) return true;
  const played = logOf(player).played.reduce((sum, [from, to]) => sum + to - from, 0);
  return log.ended && played >= element.duration - TOLERANCE_SECONDS;
}

/** @param {PlayedFile} log */
const hasFailed = ({ events }) => events.some(([what]) => what === "error");
