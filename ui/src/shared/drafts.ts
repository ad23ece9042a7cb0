// What a person typed and has not saved, kept on this computer per account and case until it is saved or cleared.
// The intent's id is kept with it: after a restart the same text is still the same intent.
export type Draft<T> = { intent: string; content: T };

const PREFIX = 'onceover.draft';

function key(account: string, about: string, form: string): string {
  return `${PREFIX}.${account}.${about}.${form}`;
}

export class Drafts<T> {
  #key: string;
  #store: Storage | undefined;

  constructor(account: string, about: string, form: string, store: Storage | undefined = storage()) {
    this.#key = key(account, about, form);
    this.#store = store;
  }

  read(): Draft<T> | undefined {
    const text = this.#store?.getItem(this.#key);
    if (!text) return undefined;
    try {
      return JSON.parse(text) as Draft<T>;
    } catch {
      return undefined;
    }
  }

  keep(draft: Draft<T>): void {
    try {
      this.#store?.setItem(this.#key, JSON.stringify(draft));
    } catch {
      // A full store loses only the copy; the text is still in the form.
    }
  }

  clear(): void {
    this.#store?.removeItem(this.#key);
  }
}

export function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
