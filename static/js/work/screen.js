// One screen of a trial: its template filled, its instruments mounted, its answers collected.

import { filesOf, fillScreen, fillText } from "../blocks/fill.js";
import { keepInView } from "../blocks/kept.js";
import { allParts, copyOf, identify, optionalPart, part } from "../parts.js";
import { say } from "./notices.js";

/** @import { InstrumentTools, Mount, MountTogether } from "../instruments/contract.js" */
/** @import { Answer, Instrument, InstrumentModule, Material, PageDocument, Question, Refusal, Step, Words } from "./types.js" */

/**
 * Where an instrument is: in an output's row, or below all outputs with `place` null for the item.
 *
 * @typedef {{ holder: HTMLElement, place: number | null, row?: HTMLElement }} Holder
 */

/**
 * A question at one place of the screen, with its instrument.
 *
 * @typedef {object} Asked
 * @property {string} criterion
 * @property {number | null} place the output's, or null for the item
 * @property {Question} question
 * @property {string} labelledBy
 * @property {string} questionId
 * @property {HTMLElement} root
 * @property {Instrument} instrument
 * @property {() => number | null} time when it was answered last
 * @property {(time: DOMHighResTimeStamp) => void} changed the answer is another one
 * @property {() => void} [declined] what was declined is answered after all
 * @property {(time: number | null) => void} settledAt also for answers that the screen itself sets
 *   (a measured time)
 */

/** @typedef {{ asked: Asked, message: string }} Problem */

/**
 * What all questions of a screen need to be mounted.
 *
 * @typedef {object} Mounting
 * @property {HTMLElement} form
 * @property {HTMLElement[]} rows
 * @property {Material} material
 * @property {PageDocument} page
 * @property {Record<string, InstrumentModule>} instruments by name
 * @property {(time: DOMHighResTimeStamp) => void} onChange something was answered
 */

/**
 * Build a screen from its template.
 *
 * @param {Pick<Mounting, "page" | "instruments" | "onChange"> & { template: HTMLTemplateElement,
 *   step: Step }} parts
 */
export function mountScreen({ template, page, step, instruments, onChange }) {
  const form = /** @type {HTMLFormElement} */ (copyOf(template));
  const material = step.material;
  const rows = mountOutputs(form, material, page.words);
  fillScreen(form, material, page);
  const files = filesOf(form, rows, material, page.words);
  const questions = page.screens[step.screen].ask.flatMap((question) =>
    mountQuestion({ form, rows, question, material, page, instruments, onChange }),
  );
  for (const asked of questions) markMissing(asked, "");
  keepInView(form);
  return {
    form,
    questions,
    files,
    next: part(form, "[data-next]", HTMLButtonElement),
    comment: optionalPart(form, "[data-comment]", HTMLTextAreaElement),
    ...collector(form, questions, page.words, material),
  };
}

/**
 * One list entry per output, each with places for its own instruments.
 *
 * @param {HTMLElement} form
 * @param {Material} material
 * @param {Words} words
 * @returns {HTMLElement[]}
 */
function mountOutputs(form, material, words) {
  const list = optionalPart(form, "[data-outputs]");
  if (!list) return [];
  const template = part(form, "template[data-output]", HTMLTemplateElement);
  return (material.outputs ?? []).map((text, index) => {
    const row = copyOf(template);
    const name = part(row, "[data-output-name]");
    name.textContent = say(words, "text_number", { number: index + 1 });
    const shown = { view: "output source", place: index };
    const target = part(row, "[data-fill=output]");
    fillText(target, text, material.formatted?.outputs?.[index], shown);
    row.querySelector("[data-source]")?.setAttribute("aria-describedby", identify(name, "label"));
    list.append(row);
    return row;
  });
}

/**
 * A question about the item is asked once, one about outputs once for each of them.
 *
 * @param {Mounting & { question: Question }} parts
 * @returns {Asked[]}
 */
function mountQuestion({ form, rows, question, material, page, instruments, onChange }) {
  const asked = holdersOf(form, rows, question, material.places).map(({ holder, place, row }) =>
    newAsked({ holder, place, question, ...labels(holder, row) }),
  );
  const tools = asked.map((one) => ({
    options: inShownOrder(question, material),
    material,
    words: { ...page.words, ...page.instrument_words[question.instrument] },
    labelledBy: one.labelledBy,
    question: one.questionId,
    place: one.place,
    onChange(/** @type {DOMHighResTimeStamp} */ time) {
      one.declined?.();
      one.changed(time);
    },
  }));
  for (const one of asked) {
    one.changed = (time) => {
      one.settledAt(time);
      // What is still missing stays marked; what was marked by nobody is not marked now.
      if (one.root.classList.contains("is-missing")) markMissing(one, one.instrument.problem());
      if (!form.querySelector(".is-missing")) part(form, "[data-problem]").textContent = "";
      onChange(time);
    };
  }
  const { mount, mountTogether } = instruments[question.instrument];
  const mounted = mountTogether
    ? mountForAll(
        mountTogether,
        asked,
        tools,
        optionalPart(form, together(question)) ?? document.createElement("div"),
      )
    : asked.map(({ root }, index) => /** @type {Mount} */ (mount)(root, tools[index]));
  for (const [index, one] of asked.entries()) one.instrument = mounted[index];
  if (question.cannot_judge) letDecline(form, asked, instruments.cannot_judge, page.words);
  return asked;
}

/**
 * The options of a question, its choices in the order that was drawn for this rater.
 *
 * @param {Question} question
 * @param {Material} material
 */
function inShownOrder({ criterion, options }, material) {
  const order = material.orders?.[criterion];
  if (!order) return options;
  const labels = new Map(/** @type {[string, string][]} */ (options.choices));
  return { ...options, choices: order.map((name) => [name, labels.get(name)]) };
}

/**
 * Tie the boxes "I cannot judge this" to their questions: one each, or one for all outputs.
 *
 * @param {HTMLElement} form
 * @param {Asked[]} asked
 * @param {InstrumentModule} module that of cannot_judge.js
 * @param {Words} words
 */
function letDecline(form, asked, { mayDecline }, words) {
  if (!mayDecline) return;
  const shared = optionalPart(
    form,
    `.together [data-question="${asked[0].criterion}"] [data-cannot-judge]`,
  );
  if (shared) {
    showTogether(shared);
    mayDecline(asked, shared, words);
    return;
  }
  for (const one of asked) {
    const around = /** @type {HTMLElement} */ (one.root.parentElement);
    mayDecline([one], part(around, "[data-cannot-judge]"), words);
  }
}

/** @param {Element} inside */
function showTogether(inside) {
  /** @type {HTMLElement} */ (inside.closest(".together")).hidden = false;
}

/** @param {Question} question */
const together = ({ criterion }) => `[data-together="${criterion}"]`;

/**
 * `extra` is a place below all outputs, shown when the instrument puts something there.
 *
 * @param {MountTogether} mountTogether
 * @param {Asked[]} asked
 * @param {InstrumentTools[]} tools
 * @param {HTMLElement} extra
 */
function mountForAll(mountTogether, asked, tools, extra) {
  const mounted = mountTogether(
    asked.map(({ root }) => root),
    tools,
    extra,
  );
  if (extra.hasChildNodes()) showTogether(extra);
  return mounted;
}

/**
 * @param {Pick<Asked, "place" | "question" | "labelledBy" | "questionId"> &
 *   { holder: HTMLElement }} parts
 * @returns {Asked} without its instrument, which is mounted after all of them are there
 */
function newAsked({ holder, place, question, labelledBy, questionId }) {
  /** @type {number | null} */
  let answeredAt = null;
  /** @type {Partial<Asked>} */
  const asked = {
    criterion: question.criterion,
    place,
    question,
    labelledBy,
    questionId,
    root: part(holder, "[data-instrument]", HTMLElement),
    time: () => answeredAt,
    settledAt: (/** @type {number | null} */ time) => (answeredAt = time),
  };
  return /** @type {Asked} */ (asked);
}

/**
 * Where a question's instruments are: [{holder, place, row}], `place` null for the item.
 *
 * @param {HTMLElement} form
 * @param {HTMLElement[]} rows
 * @param {Question} question
 * @param {number} places
 * @returns {Holder[]}
 */
function holdersOf(form, rows, { criterion, about }, places) {
  const byName = `[data-question="${criterion}"]`;
  const below = () => part(form, `.below ${byName}`);
  if (about === "item") return [{ holder: below(), place: null }];
  if (rows.length) {
    return rows.map((row, place) => ({ holder: part(row, byName), place, row }));
  }
  const holders = [below()];
  while (holders.length < places) {
    const holder = /** @type {HTMLElement} */ (holders[0].cloneNode(true));
    holders.at(-1)?.after(holder);
    holders.push(holder);
  }
  return holders.map((holder, place) => ({ holder, place }));
}

/**
 * The ids of what names an instrument: the output's number, and the question.
 *
 * @param {HTMLElement} holder
 * @param {HTMLElement} [row]
 */
function labels(holder, row) {
  const questionId = identify(part(holder, "[data-question-text]"), "label");
  const parts = [questionId];
  if (row) parts.unshift(identify(part(row, "[data-output-name]"), "label"));
  return { labelledBy: parts.join(" "), questionId };
}

/**
 * As the server names a question in what it refuses.
 *
 * @param {Asked} asked
 */
const nameOf = ({ criterion, place }) => (place === null ? criterion : `${criterion}[${place}]`);

/**
 * What is missing or wrong, question by question, in the order of the page.
 *
 * @param {Asked[]} questions
 * @returns {Problem[]}
 */
const problemsOf = (questions) =>
  questions
    .map((asked) => ({ asked, message: problemOf(asked) }))
    .filter(({ message }) => message)
    .sort(({ asked: one }, { asked: other }) =>
      one.root.compareDocumentPosition(other.root) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );

/** @param {Asked} asked */
function problemOf({ instrument, question }) {
  const message = instrument.problem();
  return instrument.isAnswered() || question.required ? message : "";
}

/** @param {Problem} problem */
const isMissing = ({ asked: { instrument } }) =>
  !(instrument.isComplete ?? instrument.isAnswered)();

/**
 * The server's problems with answers, each with the question that it names.
 *
 * @param {Asked[]} questions
 * @param {Refusal[]} refusals
 */
const named = (questions, refusals) =>
  refusals.flatMap(({ place, message }) => {
    const asked = questions.find((one) => place === nameOf(one) || place === one.criterion);
    return asked ? [{ asked, message }] : [];
  });

/**
 * An answer as the server takes it.
 *
 * @param {Asked} asked
 * @param {(stamp: number) => number} since turns a time stamp into milliseconds
 * @param {Material} material
 * @returns {Answer}
 */
function answerTo({ criterion, place, instrument, time }, since, material) {
  const stamp = time();
  const time_ms = stamp === null ? null : since(stamp);
  const value = instrument.value();
  const said = isDeclined(value) ? value : { value };
  const order = material.orders?.[criterion];
  return { criterion, place, ...said, time_ms, ...(order && { order }) };
}

/**
 * What is asked of a mounted screen.
 *
 * @param {HTMLElement} form
 * @param {Asked[]} questions
 * @param {Words} words
 * @param {Material} material
 */
function collector(form, questions, words, material) {
  const answered = () => questions.filter(({ instrument }) => instrument.isAnswered());
  /** @param {string} sentence */
  const tell = (sentence) => part(form, "[data-problem]").replaceChildren(sentence);

  /**
   * Say next to each question what is missing, and go to the first.
   *
   * @param {Problem[]} found
   * @param {string} [summary]
   */
  function showProblems(found, summary) {
    for (const asked of questions) markMissing(asked, "");
    for (const { asked, message } of found) markMissing(asked, message);
    tell(summary ?? (found.some(isMissing) ? words.missing_some : words.wrong_some));
    found[0].asked.instrument.focus();
  }

  return {
    problems: () => problemsOf(questions),
    showProblems,
    /** @param {Refusal[]} refusals */
    showRefusals(refusals) {
      const found = named(questions, refusals);
      if (found.length) showProblems(found, "");
    },
    say: tell,
    /** @param {(stamp: number) => number} since */
    answers: (since) => answered().map((asked) => answerTo(asked, since, material)),
    /** The same for a draft: what to put back after a reload. */
    draft: () =>
      Object.fromEntries(
        answered().map(({ criterion, place, instrument }) => [
          `${criterion}:${place}`,
          instrument.value(),
        ]),
      ),
    /** @param {Record<string, unknown>} draft */
    restore(draft) {
      for (const { criterion, place, instrument } of questions) {
        const value = draft[`${criterion}:${place}`];
        if (value !== undefined) instrument.setValue(value);
      }
    },
  };
}

/**
 * Say what an instrument lacks, and mark the controls that it is about; "" takes both away.
 *
 * @param {Asked} asked
 * @param {string} message
 */
function markMissing({ root, instrument }, message) {
  const note = part(root, "[data-missing]");
  note.textContent = message;
  note.hidden = !message;
  root.classList.toggle("is-missing", Boolean(message));
  const described = allParts(root, "[data-description]");
  if (message) described.push(note);
  // The ends of a line describe its handle, not what else an instrument has.
  /** @type {(control: Element) => string} */
  const descriptionOf = (control) =>
    described
      .filter((part) => part.closest(".line")?.contains(control) ?? true)
      .map((part) => identify(part, "description"))
      .join(" ");
  const faulty = message ? (instrument.faulty?.() ?? [root]) : [];
  for (const group of allParts(root, "fieldset")) {
    group.classList.toggle("is-missing", faulty.includes(group));
  }
  for (const control of root.querySelectorAll("[data-control], [role=slider]")) {
    setOrRemove(control, "aria-describedby", descriptionOf(control));
    const isFaulty = faulty.some((part) => part.contains(control));
    setOrRemove(control, "aria-invalid", isFaulty ? "true" : "");
  }
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
function setOrRemove(element, name, value) {
  if (value) element.setAttribute(name, value);
  else element.removeAttribute(name);
}

/**
 * Whether a value says that the question was declined.
 *
 * @param {unknown} value
 * @returns {value is { cannot_judge: string }}
 */
export const isDeclined = (value) =>
  typeof value === "object" && value !== null && "cannot_judge" in value;
