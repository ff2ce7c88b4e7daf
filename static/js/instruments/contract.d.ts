// What a screen expects of an instrument: tsc holds every instrument to it.

import type { Material, Stamp, Words } from "../work/types.js";

/** What an instrument is given to work with; `Options` are those of its Python class. */
export interface InstrumentTools<Options = Record<string, unknown>> {
  /** The criterion's settings; choices as [name, label] pairs. */
  options: Options;
  /** The trial's texts and pictures, as the page has them. */
  material: Material;
  /** The sentences of the interface and those of the instrument's Python class, by name. */
  words: Words;
  /** Ids of the elements that name the question and its output. */
  labelledBy: string;
  /** The id of the element that names the question alone. */
  question: string;
  /** Which of the screen's outputs it is about, from 0, or null for the item. */
  place: number | null;
  /** Call it with the event's time stamp whenever the rater changes the answer. */
  onChange(time: Stamp): void;
}

/** One instrument on a screen: about one output, or about the item. */
export interface Instrument<Value = unknown> {
  /** The answer as the server takes it (see the Python class's `clean`). */
  value(): Value;
  /** Whether there is an answer to send. */
  isAnswered(): boolean;
  /** What the answer lacks, as a sentence; "" when it is complete. */
  problem(): string;
  /** Put an answer back: after a reload, or with *Back*. */
  setValue(value: Value): void;
  /**
   * What a timed screen measured, null when the time ran out; returns whether that moment is when
   * the answer was given.
   */
  settleTime?(milliseconds: number | null): boolean;
  /** Whether nothing is missing, where an answer has parts. */
  isComplete?(): boolean;
  /** The parts to mark when the answer is incomplete. */
  faulty?(): HTMLElement[];
  /** Move the focus to where the answer can be given. */
  focus(): void;
}

/**
 * What an instrument's module exports as `mount`. `root` is the element of its template; with
 * `data-clicks-pictures` there, the item's pictures can be clicked.
 */
export type Mount<Options = Record<string, unknown>, Value = unknown> = (
  root: HTMLElement,
  tools: InstrumentTools<Options>,
) => Instrument<Value>;

/**
 * What it exports as `mountTogether` instead, if it compares a screen's outputs: it gets the
 * elements of all of them, and one for what they share.
 */
export type MountTogether<Options = Record<string, unknown>, Value = unknown> = (
  roots: HTMLElement[],
  tools: InstrumentTools<Options>[],
  shared: HTMLElement,
) => Instrument<Value>[];

/** What a module of an instrument exports: one of the first two. */
export interface InstrumentModule {
  mount?: Mount;
  mountTogether?: MountTogether;
  /** Of cannot_judge.js, which is loaded with the instruments. */
  mayDecline?: typeof import("./cannot_judge.js").mayDecline;
}
