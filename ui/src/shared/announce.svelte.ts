// The one polite voice of a window: what is said within 2 s is joined. Only the focused window speaks.
const JOIN_MS = 2_000;

class Voice {
  said = $state('');
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(words: string): void {
    if (!words || this.#waiting.includes(words)) return;
    this.#waiting.push(words);
    this.#timer ??= setTimeout(() => this.#speak(), JOIN_MS);
  }

  #speak(): void {
    this.#timer = undefined;
    const words = this.#waiting.join('. ');
    this.#waiting = [];
    if (document.hasFocus()) this.said = words;
  }
}

export const voice = new Voice();
