// One screen of a trial: its template filled, its instruments mounted, its answers collected.

import { filesOf, fillScreen, fillText } from "../blocks/fill.js";
import { keepInView } from "../blocks/kept.js";
import { say } from "./notices.js";

/**
 * @typedef {import("./types.js").TemplateElement} TemplateElement
 * @typedef {import("./types.js").PageDocument} PageDocument
 * @typedef {import("./types.js").Material} Material
 * @typedef {import("./types.js").Question} Question
 * @typedef {import("./types.js").Words} Words
 * @typedef {import("./types.js").Instrument} Instrument
 * @typedef {import("./types.js").InstrumentTools} InstrumentTools
 * @typedef {import("./types.js").InstrumentModule} InstrumentModule
 * @typedef {import("../instruments/contract.js").Mount} Mount
 */

/**
 * Where an instrument is: in an output's row, or below all outputs with `place` null for the item.
 *
 * @typedef {{ holder: TemplateElement, place: number | null, row?: TemplateElement }} Holder
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
 * @property {TemplateElement} root
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
 * @property {TemplateElement} form
 * @property {TemplateElement[]} rows
 * @property {Material} material
 * @property {PageDocument} page
 * @property {Record<string, InstrumentModule>} instruments by name
 * @property {(time: DOMHighResTimeStamp) => void} onChange something was answered
 */

/**
 * Build a screen from its template.
 *
 * @param {Pick<Mounting, "page" | "instruments" | "onChange"> & { template: HTMLTemplateElement,
 *   step: import("./types.js").Step }} parts
 */
export function mountScreen({ template, page, step, instruments, onChange }) {
  /** @type {TemplateElement} */
  const form = template.content.firstElementChild?.cloneNode(true);
  const material = step.material;
  const rows = mountOutputs(form, material, page.words);
  fillScreen(form, material, page);
  const files = filesOf(form, rows, material, page.words);
  const questions = page.screens[step.screen].ask.flatMap((question) =>
    mountQuestion({ form, rows, question, material, page, instruments, onChange }),
  );
  for (const asked of questions) markMissing(asked, "");
  keepInView(form);
  return { form, questions, files, ...collector(form, questions, page.words, material) };
}

/**
 * One list entry per output, each with places for its own instruments.
 *
 * @param {TemplateElement} form
 * @param {Material} material
 * @param {Words} words
 * @returns {TemplateElement[]}
 */
function mountOutputs(form, material, words) {
  const list = form.querySelector("[data-outputs]");
  if (!list) return [];
  const template = form.querySelector("template[data-output]");
  return (material.outputs ?? []).map((text, index) => {
    const row = template.content.firstElementChild.cloneNode(true);
    const name = row.querySelector("[data-output-name]");
    name.textContent = say(words, "text_number", {
      number: index + 1,
    });
    const shown = { view: "output source", place: index };
    const target = row.querySelector("[data-fill=output]");
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
      if (!form.querySelector(".is-missing")) form.querySelector("[data-problem]").textContent = "";
      onChange(time);
    };
  }
  const { mount, mountTogether } = instruments[question.instrument];
  const mounted = mountTogether
    ? mountForAll(mountTogether, asked, tools, form.querySelector(together(question)))
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
  const labels = new Map(options.choices);
  return { ...options, choices: order.map((name) => [name, labels.get(name)]) };
}

/**
 * Tie the boxes "I cannot judge this" to their questions: one each, or one for all outputs.
 *
 * @param {TemplateElement} form
 * @param {Asked[]} asked
 * @param {any} module of cannot_judge.js
 * @param {Words} words
 */
function letDecline(form, asked, { mayDecline }, words) {
  const shared = form.querySelector(
    `.together [data-question="${asked[0].criterion}"] [data-cannot-judge]`,
  );
  if (shared) {
    shared.closest(".together").hidden = false;
    return mayDecline(asked, shared, words);
  }
  for (const one of asked) {
    const box = one.root.parentElement.querySelector("[data-cannot-judge]");
    mayDecline([one], box, words);
  }
}

/** @param {Question} question */
const together = ({ criterion }) => `[data-together="${criterion}"]`;

/**
 * `extra` is a place below all outputs, shown when the instrument puts something there.
 *
 * @param {import("../instruments/contract.js").MountTogether} mountTogether
 * @param {Asked[]} asked
 * @param {InstrumentTools[]} tools
 * @param {TemplateElement} extra
 */
function mountForAll(mountTogether, asked, tools, extra) {
  const mounted = mountTogether(
    asked.map(({ root }) => root),
    tools,
    extra,
  );
  if (extra?.hasChildNodes()) extra.closest(".together").hidden = false;
  return mounted;
}

/**
 * @param {Pick<Asked, "place" | "question" | "labelledBy" | "questionId"> &
 *   { holder: TemplateElement }} parts
 * @returns {Asked} without its instrument, which is mounted after all of them are there
 */
function newAsked({ holder, place, question, labelledBy, questionId }) {
  /** @type {number | null} */
  let answeredAt = null;
  const asked = {
    criterion: question.criterion,
    place,
    question,
    labelledBy,
    questionId,
    root: holder.querySelector("[data-instrument]"),
    time: () => answeredAt,
    settledAt: (/** @type {number | null} */ time) => (answeredAt = time),
  };
  return /** @type {any} */ (asked);
}

/**
 * Where a question's instruments are: [{holder, place, row}], `place` null for the item.
 *
 * @param {TemplateElement} form
 * @param {TemplateElement[]} rows
 * @param {Question} question
 * @param {number} places
 * @returns {Holder[]}
 */
function holdersOf(form, rows, { criterion, about }, places) {
  const byName = `[data-question="${criterion}"]`;
  const below = form.querySelector(`.below ${byName}`);
  if (about === "item") return [{ holder: below, place: null }];
  if (rows.length) {
    return rows.map((row, place) => ({ holder: row.querySelector(byName), place, row }));
  }
  const holders = [below];
  while (holders.length < places) {
    holders.push(below.cloneNode(true));
    holders.at(-2).after(holders.at(-1));
  }
  return holders.map((holder, place) => ({ holder, place }));
}

/**
 * The ids of what names an instrument: the output's number, and the question.
 *
 * @param {TemplateElement} holder
 * @param {TemplateElement} [row]
 */
function labels(holder, row) {
  const questionId = identify(holder.querySelector("[data-question-text]"), "label");
  const parts = [questionId];
  if (row) parts.unshift(identify(row.querySelector("[data-output-name]"), "label"));
  return { labelledBy: parts.join(" "), questionId };
}

/**
 * As the server names a question in what it refuses.
 *
 * @param {Asked} asked
 */
const nameOf = ({ criterion, place }) => (place === null ? criterion : `${criterion}[${place}]`);

/**
 * @param {TemplateElement} form
 * @param {Asked[]} questions
 * @param {Words} words
 * @param {Material} material
 */
function collector(form, questions, words, material) {
  /** What is missing or wrong, question by question, in the order of the page. */
  const problems = () =>
    questions
      .map((asked) => ({ asked, message: problemOf(asked) }))
      .filter(({ message }) => message)
      .sort(({ asked: one }, { asked: other }) =>
        one.root.compareDocumentPosition(other.root) & 4 ? -1 : 1,
      );

  /** @param {Asked} asked */
  const problemOf = ({ instrument, question }) => {
    const message = instrument.problem();
    return instrument.isAnswered() || question.required ? message : "";
  };

  /** @param {Problem} problem */
  const isMissing = ({ asked: { instrument } }) =>
    !(instrument.isComplete ?? instrument.isAnswered)();
  /** @param {Problem[]} found */
  const summaryOf = (found) => (found.some(isMissing) ? words.missing_some : words.wrong_some);

  return {
    problems,
    /**
     * Say next to each question what is missing, and go to the first.
     *
     * @param {Problem[]} found
     * @param {string} [summary]
     */
    showProblems(found, summary = summaryOf(found)) {
      for (const asked of questions) markMissing(asked, "");
      for (const { asked, message } of found) markMissing(asked, message);
      form.querySelector("[data-problem]").textContent = summary;
      found[0].asked.instrument.focus();
    },
    /**
     * The server's problems with answers, each next to the answer that it names.
     *
     * @param {import("./types.js").Refusal[]} refusals
     */
    showRefusals(refusals) {
      const found = refusals.flatMap(({ place, message }) => {
        const asked = questions.find((one) => place === nameOf(one) || place === one.criterion);
        return asked ? [{ asked, message }] : [];
      });
      if (found.length) this.showProblems(found, "");
    },
    /** @param {string} sentence */
    say: (sentence) => (form.querySelector("[data-problem]").textContent = sentence),
    /**
     * The answers as the server takes them.
     *
     * @param {(stamp: number) => number} since turns a time stamp into milliseconds
     * @returns {import("./types.js").Answer[]}
     */
    answers: (since) =>
      questions
        .filter(({ instrument }) => instrument.isAnswered())
        .map(({ criterion, place, instrument, time }) => {
          const stamp = time();
          const time_ms = stamp === null ? null : since(stamp);
          const value = instrument.value();
          const said = value?.cannot_judge === undefined ? { value } : value;
          const order = material.orders?.[criterion];
          return { criterion, place, ...said, time_ms, ...(order && { order }) };
        }),
    /** The same for a draft: what to put back after a reload. */
    draft: () =>
      Object.fromEntries(
        questions
          .filter(({ instrument }) => instrument.isAnswered())
          .map(({ criterion, place, instrument }) => [`${criterion}:${place}`, instrument.value()]),
      ),
    /** @param {Record<string, any>} draft */
    restore(draft) {
      for (const { criterion, place, instrument } of questions) {
        const value = draft[`${criterion}:${place}`];
        if (value !== undefined) instrument.setValue(value);
      }
    },
    comment: form.querySelector("[data-comment]"),
  };
}

/**
 * Say what an instrument lacks, and mark the controls that it is about; "" takes both away.
 *
 * @param {Asked} asked
 * @param {string} message
 */
function markMissing({ root, instrument }, message) {
  const note = root.querySelector("[data-missing]");
  note.textContent = message;
  note.hidden = !message;
  root.classList.toggle("is-missing", Boolean(message));
  const described = [...root.querySelectorAll("[data-description]")];
  if (message) described.push(note);
  // The ends of a line describe its handle, not what else an instrument has.
  /** @type {(control: Element) => string} */
  const descriptionOf = (control) =>
    described
      .filter((part) => part.closest(".line")?.contains(control) ?? true)
      .map((part) => identify(part, "description"))
      .join(" ");
  const faulty = message ? (instrument.faulty?.() ?? [root]) : [];
  for (const group of root.querySelectorAll("fieldset")) {
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

let ids = 0;

/**
 * The id of an element that names or describes a control; it gets one if it has none.
 *
 * @param {TemplateElement} element
 * @param {string} what
 * @returns {string}
 */
export function identify(element, what) {
  if (!element.id) {
    ids += 1;
    element.id = `${what}-${ids}`;
  }
  return element.id;
}
