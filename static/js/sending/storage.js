// Where drafts and unsent answers live: IndexedDB, or memory where the browser forbids it.

/** @import { PageStorage, StoreName, Transaction } from "../work/types.js" */

/**
 * @typedef {(copy: Transaction) => Promise<unknown>} Write
 */

const NAME = "rankme";
const VERSION = 1;
const STORES = ["drafts", "outbox"];

// A disk that does not answer is as good as none; the answer is wanted before the rater continues.
const PATIENCE_MS = 10_000;

// When a page goes, the browser undoes what its database had no time for. So what the page leaves
// behind is written here, too, until the database has it.
const HURRIED = "rankme left ";

/**
 * Open the database, and prove that it keeps things; throws where it does not.
 *
 * @param {IDBFactory} factory
 * @param {number} [patience] milliseconds that the database has for an answer
 * @returns {Promise<PageStorage>}
 */
export async function openStorage(factory, patience = PATIENCE_MS) {
  const hurried = localOrNone();
  const database = await open(factory);
  const storage = overDatabase(database, hurried);
  const probe = storage.change(async (transaction) => {
    await transaction.put("drafts", { id: "probe" });
    await transaction.delete("drafts", "probe");
    for (const draft of leftIn(hurried)) await transaction.put("drafts", draft);
  });
  await inTime(probe, patience);
  return storage;
}

/**
 * A storage that continues in memory when the database fails in mid-sitting (its data deleted, the
 * disk full). All that this page has read or written is remembered for that.
 *
 * @param {PageStorage} database a storage that lasts
 * @param {() => void} onFailure called once, when the database is given up
 * @param {number} [patience] milliseconds that the database has for an answer
 * @returns {PageStorage}
 */
export function withFallback(database, onFailure, patience = PATIENCE_MS) {
  const memory = memoryStorage();
  let failed = false;

  /**
   * @template T
   * @param {(transaction: Transaction) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async function change(work) {
    if (failed) return memory.change(work);
    /** @type {Write[]} */
    const known = [];
    let result;
    try {
      result = await inTime(
        database.change((transaction) => work(noting(transaction, known))),
        patience,
      );
    } catch {
      if (!failed) {
        failed = true;
        onFailure();
      }
      return memory.change(work);
    }
    await memory.change(async (copy) => {
      for (const write of known) await write(copy);
    });
    return result;
  }

  return {
    get lasting() {
      return !failed;
    },
    change,
    keepAtOnce(draft) {
      try {
        if (!failed) database.keepAtOnce(draft);
      } catch {
        // The page goes, and nobody is there who could be told.
      }
      memory.keepAtOnce(draft);
    },
  };
}

/**
 * As the database's own transaction, with a note of what each store is known to hold.
 *
 * @param {Transaction} transaction
 * @param {Write[]} known
 * @returns {Transaction}
 */
function noting(transaction, known) {
  /**
   * @param {StoreName} store
   * @param {object | undefined} value
   */
  const note = (store, value) => value && known.push((copy) => copy.put(store, value));
  return {
    async get(store, key) {
      const value = await transaction.get(store, key);
      note(store, structuredClone(value));
      return value;
    },
    async all(store) {
      const values = await transaction.all(store);
      for (const value of structuredClone(values)) note(store, value);
      return values;
    },
    put(store, value) {
      note(store, structuredClone(value));
      return transaction.put(store, value);
    },
    delete(store, key) {
      known.push((copy) => copy.delete(store, key));
      return transaction.delete(store, key);
    },
  };
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} patience
 * @returns {Promise<T>}
 */
function inTime(promise, patience) {
  /** @type {number | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("the database does not answer")), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/**
 * @param {IDBFactory} factory
 * @returns {Promise<IDBDatabase>}
 */
function open(factory) {
  return new Promise((resolve, reject) => {
    const request = factory.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("drafts", { keyPath: "id" });
      request.result.createObjectStore("outbox", { keyPath: "key" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("the database is in use by an older page"));
  });
}

/** A browser that forbids it throws when it is asked for it. */
function localOrNone() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

/**
 * @param {Storage | null} hurried
 * @returns {{ id: string }[]}
 */
const leftIn = (hurried) =>
  Object.entries(hurried ?? {})
    .filter(([key]) => key.startsWith(HURRIED))
    .map(([, text]) => JSON.parse(text));

/**
 * @param {IDBDatabase} database
 * @param {Storage | null} hurried
 * @returns {PageStorage}
 */
function overDatabase(database, hurried) {
  database.onversionchange = () => database.close();
  return {
    lasting: true,
    /**
     * @template T
     * @param {(transaction: Transaction) => Promise<T>} work
     * @returns {Promise<T>}
     */
    change(work) {
      return new Promise((resolve, reject) => {
        // "strict": on disk before we say so, because the next thing may be a power cut.
        const transaction = database.transaction(STORES, "readwrite", { durability: "strict" });
        /** @type {T} */
        let result;
        /** @type {Map<string, string | null | undefined>} */
        const overtaken = new Map();
        transaction.oncomplete = () => {
          for (const [key, text] of overtaken) {
            if (text && hurried?.getItem(key) === text) hurried.removeItem(key);
          }
          resolve(result);
        };
        transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
        const overtake = (/** @type {string} */ id) =>
          overtaken.set(HURRIED + id, hurried?.getItem(HURRIED + id));
        work(access(transaction, overtake)).then(
          (value) => (result = value),
          (error) => {
            reject(error);
            transaction.abort();
          },
        );
      });
    },
    keepAtOnce(draft) {
      try {
        hurried?.setItem(HURRIED + draft.id, JSON.stringify(draft));
      } catch {
        // It is full: the database is all there is.
      }
      // Committed here: a page that the browser sets aside gets no more events, and WebKit would
      // keep its transaction open, with every later page waiting for it.
      const transaction = database.transaction(["drafts"], "readwrite", { durability: "strict" });
      transaction.objectStore("drafts").put(draft);
      transaction.commit();
    },
  };
}

/**
 * @param {IDBTransaction} transaction
 * @param {(id: string) => void} overtake what was left of this draft is older than what is written
 * @returns {Transaction}
 */
function access(transaction, overtake) {
  /**
   * @template T
   * @param {IDBRequest<T>} request
   * @returns {Promise<T>}
   */
  const ask = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  return {
    get: (store, key) => ask(transaction.objectStore(store).get(key)),
    all: (store) => ask(transaction.objectStore(store).getAll()),
    put(store, value) {
      if (store === "drafts") overtake(/** @type {{ id: string }} */ (value).id);
      return ask(transaction.objectStore(store).put(value));
    },
    delete(store, key) {
      if (store === "drafts") overtake(key);
      return ask(transaction.objectStore(store).delete(key));
    },
  };
}

/**
 * The same in memory: nothing outlives the page.
 *
 * @returns {PageStorage}
 */
export function memoryStorage() {
  /** @type {Record<StoreName, Map<string, unknown>>} */
  const stores = { drafts: new Map(), outbox: new Map() };
  /** @param {{ key?: string, id?: string }} value */
  const keyOf = ({ key, id }) => id ?? key ?? "";
  /** @type {Transaction} */
  const transaction = {
    get: async (store, key) => /** @type {never} */ (structuredClone(stores[store].get(key))),
    all: async (store) => /** @type {never[]} */ (structuredClone([...stores[store].values()])),
    put: async (store, value) => void stores[store].set(keyOf(value), structuredClone(value)),
    delete: async (store, key) => void stores[store].delete(key),
  };
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return {
    lasting: false,
    change(work) {
      const mine = last.then(() => work(transaction));
      last = mine.catch(() => undefined);
      return mine;
    },
    keepAtOnce: (draft) => void stores.drafts.set(draft.id, structuredClone(draft)),
  };
}
