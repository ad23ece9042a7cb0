// The window's time: one place, so that tests and pictures can turn it.
let offsetMs = 0;

export function nowMs(): number {
  return Date.now() + offsetMs;
}

/** Makes `nowMs()` start at `startMs` and go on from there. */
export function startClockAt(startMs: number): void {
  offsetMs = startMs - Date.now();
}
