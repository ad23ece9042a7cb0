// Events from the program to this window, and closing it.
import { listen } from '@tauri-apps/api/event';
import { getCurrentWindow } from '@tauri-apps/api/window';

import type { Signal } from './bindings';

export type Listen = (receive: (signal: Signal) => void) => Promise<() => void>;

const listenInTauri: Listen = (receive) => listen<Signal>('changed', (event) => receive(event.payload));

let source: Listen = listenInTauri;

/** Takes signals from `other` instead: tests and the browser-only development mode. */
export function signalsFrom(other: Listen): void {
  source = other;
}

export function listenToChanges(receive: (signal: Signal) => void): Promise<() => void> {
  return source(receive);
}

/** Closes this window, as its title bar would. */
export function closeWindow(): void {
  try {
    void getCurrentWindow()
      .close()
      .catch(() => window.close());
  } catch {
    window.close();
  }
}
