// The one door to the program behind the window: a rejected call becomes an IpcError with a code.
import { invoke } from '@tauri-apps/api/core';

export class IpcError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'IpcError';
    this.code = code;
  }
}

export type Transport = (command: string, args?: Record<string, unknown>) => Promise<unknown>;

let transport: Transport = invoke;

/** Answers calls from `other` instead: tests and the browser-only development mode. */
export function answerFrom(other: Transport): void {
  transport = other;
}

export async function call<T>(command: string, args?: Record<string, unknown>): Promise<T> {
  try {
    return (await transport(command, args)) as T;
  } catch (error) {
    throw asIpcError(error);
  }
}

export function asIpcError(error: unknown): IpcError {
  if (error instanceof IpcError) return error;
  if (typeof error === 'object' && error !== null && 'code' in error) {
    const { code, message } = error as { code: unknown; message?: unknown };
    return new IpcError(String(code), typeof message === 'string' ? message : String(code));
  }
  return new IpcError('internal', error instanceof Error ? error.message : String(error));
}
