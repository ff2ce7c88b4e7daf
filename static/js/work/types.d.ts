// What the parts of the work page pass to each other. What the server gives and takes is in page.d.ts.

import type { Instrument, InstrumentModule } from "../instruments/contract.js";
import type {
  Answer,
  Breaks as BreakRules,
  Node as FormattedNode,
  Mark,
  Material,
  PageDocument,
  PlayedFile,
  Report,
  ScreenView,
  Feedback as ServerFeedback,
  Submission,
  Times,
} from "./page.js";

export type { Drafts } from "../sending/drafts.js";
export type { Outbox } from "../sending/outbox.js";
export type { Breaks as Rests } from "./breaks.js";
export type { Desk } from "./desk.js";
export type * from "./page.js";
export type { Sitting } from "./sitting.js";
export type { Stopwatch } from "./timing.js";
export type { Traces } from "./traces.js";
export type { BreakRules, FormattedNode, Instrument, InstrumentModule, Mark };
export type Notice = ReturnType<typeof import("./notices.js").createNotices>;
export type { Route } from "./route.js";
export type Header = ReturnType<typeof import("./header.js").createHeader>;
export type MountedScreen = ReturnType<typeof import("./screen.js").mountScreen>;

/** Sentences of the interface, by name. */
export type Words = Record<string, string>;
export type Input = NonNullable<PageDocument["standard_input"]>;
export type Tree = FormattedNode[] | null | undefined;

/** A moment by the clock of events: `performance.now()`, `event.timeStamp`, frames. */
export type Stamp = DOMHighResTimeStamp;

export interface ScreenId {
  trial: number | string;
  screen: number;
}

/** One screen of the practice or the batch. */
export interface Step extends ScreenId {
  practice: boolean;
  /** The trial's or the document's, from 1. */
  number: number;
  /** How many of them there are. */
  count: number;
  /** How many screens a trial has. */
  screens: number;
  material: Material;
}

/** What a rater has said on a screen so far. It outlives the page, and so does its key. */
export interface Draft {
  id: string;
  key: string;
  /** The key of the answers whose place these take. */
  replaces: string | null;
  /** As the instruments give them, to be put back. */
  answers: Record<string, unknown>;
  comment: string;
  spent_ms: number;
  active_ms?: number;
  reloads: number;
  files?: PlayedFile[];
  views?: ScreenView[];
  state: "open" | "sent";
  /** The answers of a practice screen, which are never sent. */
  given?: Answer[];
}

/** How a screen is left; "elsewhere": another window or device answered it. */
export type Outcome = "sent" | "elsewhere" | "back" | "refused" | "overtaken";

/** A view that was switched on or off: a text's source, differences. */
export type View = Pick<ScreenView, "view" | "place" | "on">;

export interface Feedback extends Partial<ServerFeedback> {
  must_try_again?: boolean;
}

/** What the clock and the frames of this device are like. */
export type Device = Pick<Times, "frame_ms" | "timer_ms" | "cross_origin_isolated" | "has_mouse">;

// Storage, clock and server

export type StoreName = "drafts" | "outbox";

/** One transaction over both stores. What it reads is what some page wrote before. */
export interface Transaction {
  get<T>(store: StoreName, key: string): Promise<T | undefined>;
  all<T>(store: StoreName): Promise<T[]>;
  put(store: StoreName, value: object): Promise<unknown>;
  delete(store: StoreName, key: string): Promise<unknown>;
}

export interface PageStorage {
  /** Whether it outlives the page. */
  readonly lasting: boolean;
  /** Run `work` in one transaction: all of it happens, or nothing. */
  change<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Keep one draft of a page that is about to go. */
  keepAtOnce(draft: { id: string }): void;
}

/** An answer that waits in the outbox, or that a person must look at. */
export interface Entry {
  key: string;
  rater: string;
  payload: Submission | Report;
  state: "waiting" | "refused" | "conflict";
  queued: number;
  answer?: unknown;
}

export interface ServerAnswer<Document = unknown> {
  status: number;
  document: Document;
}

export interface Timers {
  now(): number;
  setTimeout(work: () => void, delay: number): number;
  clearTimeout(timer: number | undefined): void;
}
export interface Clock extends Timers {
  random(): number;
}
export type NextFrame = (work: FrameRequestCallback) => number;
export interface Bell {
  allow(): void;
  ring(): void;
}

/** What the browser lends to the sitting. */
export interface BrowserTools extends Timers {
  nextFrame: NextFrame;
  wait(milliseconds: number): Promise<unknown>;
  fonts: FontFaceSet;
  newImage(): HTMLImageElement;
}
export interface TimedTools extends BrowserTools {
  bell: Bell;
}

/** The parts of the work page that the sitting changes. */
export interface PageView {
  stage: HTMLElement;
  messageTemplate: HTMLTemplateElement;
  /** Of the feedback on practice examples. */
  answersTemplate: HTMLTemplateElement | null;
  screenTemplate(screen: number): HTMLTemplateElement;
  progress: HTMLElement;
  bar: HTMLProgressElement;
  undo: HTMLButtonElement;
  notice: Notice;
}
