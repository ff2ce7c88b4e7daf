// Where drafts and unsent answers live: IndexedDB, or memory where the browser forbids it.

const VERSION = 1;
export const STORES = ["drafts", "outbox"];

// A disk that does not answer is as good as none; the answer is wanted before the rater continues.
const PATIENCE_MS = 10_000;

/** Open the database, and prove that it keeps things; throws where it does not. */
export async function openStorage(factory, name = "rankme") {
  const database = await open(factory, name);
  const storage = overDatabase(database);
  await storage.change(async (transaction) => {
    await transaction.put("drafts", { id: "probe" });
    await transaction.delete("drafts", "probe");
  });
  return storage;
}

/**
 * A storage that continues in memory when the database fails in mid-sitting (its data deleted, the
 * disk full). All that this page has read or written is remembered for that.
 *
 * @param {any} database a storage that lasts
 * @param {() => void} onFailure called once, when the database is given up
 */
export function withFallback(database, onFailure, patience = PATIENCE_MS) {
  const memory = memoryStorage();
  let failed = false;

  /** As the database's own transaction, with a note of what each store is known to hold. */
  function noting(transaction, known) {
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

  async function change(work) {
    if (failed) return memory.change(work);
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
  };
}

function inTime(promise, patience) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("the database does not answer")), patience);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function open(factory, name) {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore("drafts", { keyPath: "id" });
      request.result.createObjectStore("outbox", { keyPath: "key" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("the database is in use by an older page"));
  });
}

function overDatabase(database) {
  database.onversionchange = () => database.close();
  return {
    lasting: true,
    /** Run `work` in one transaction over both stores; all of it happens, or nothing. */
    change(work) {
      return new Promise((resolve, reject) => {
        // "strict": on disk before we say so, because the next thing may be a power cut.
        const transaction = database.transaction(STORES, "readwrite", { durability: "strict" });
        let result;
        transaction.oncomplete = () => resolve(result);
        transaction.onabort = () => reject(transaction.error ?? new Error("aborted"));
        work(access(transaction)).then(
          (value) => (result = value),
          (error) => {
            reject(error);
            transaction.abort();
          },
        );
      });
    },
  };
}

function access(transaction) {
  const ask = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  return {
    get: (store, key) => ask(transaction.objectStore(store).get(key)),
    all: (store) => ask(transaction.objectStore(store).getAll()),
    put: (store, value) => ask(transaction.objectStore(store).put(value)),
    delete: (store, key) => ask(transaction.objectStore(store).delete(key)),
  };
}

/** The same in memory: nothing outlives the page. */
export function memoryStorage() {
  const stores = { drafts: new Map(), outbox: new Map() };
  const keyOf = (store, value) => (store === "outbox" ? value.key : value.id);
  const transaction = {
    get: async (store, key) => structuredClone(stores[store].get(key)),
    all: async (store) => structuredClone([...stores[store].values()]),
    put: async (store, value) =>
      void stores[store].set(keyOf(store, value), structuredClone(value)),
    delete: async (store, key) => void stores[store].delete(key),
  };
  let last = Promise.resolve();
  return {
    lasting: false,
    change(work) {
      const mine = last.then(() => work(transaction));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}
