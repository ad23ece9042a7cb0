// Events from the program to this window.
import { listen } from '@tauri-apps/api/event';

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
