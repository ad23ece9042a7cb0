// Small actions on elements. Dynamic styles are set through the CSSOM: the windows run without inline styles.
import type { Action } from 'svelte/action';

/** Sets style properties and keeps them up to date. */
export const styled: Action<HTMLElement, Record<string, string>> = (element, properties) => {
  const set = (next: Record<string, string>) => {
    for (const [name, value] of Object.entries(next)) element.style.setProperty(name, value);
  };
  set(properties);
  return { update: set };
};

/** Takes the focus when it appears. */
export const focused: Action<HTMLElement, boolean | undefined> = (element, wanted = true) => {
  if (wanted) queueMicrotask(() => element.focus());
};

const FOCUSABLE =
  'button:not(:disabled), [href], input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/** Keeps Tab inside, and gives the focus back to what had it before. */
export const trapFocus: Action<HTMLElement> = (element) => {
  const before = document.activeElement;
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Tab') return;
    const all = [...element.querySelectorAll<HTMLElement>(FOCUSABLE)];
    const first = all[0];
    const last = all[all.length - 1];
    if (!first || !last) return;
    if (event.shiftKey && document.activeElement === first) {
      event.preventDefault();
      last.focus();
    } else if (!event.shiftKey && document.activeElement === last) {
      event.preventDefault();
      first.focus();
    }
  };
  element.addEventListener('keydown', onKey);
  return {
    destroy() {
      element.removeEventListener('keydown', onKey);
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    },
  };
};

/** Whether keys typed now belong to a field. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit'].includes(target.type);
}

/** A single key, without modifiers, outside of fields and dialogs. */
export function singleKey(event: KeyboardEvent): string | undefined {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
    return undefined;
  if (document.querySelector('[aria-modal="true"]')) return undefined;
  return event.key.length === 1 ? event.key.toLowerCase() : event.key;
}

export function isCtrlEnter(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && (event.ctrlKey || event.metaKey);
}

/** The keys of a form inside a view: `Ctrl Enter` saves; `Esc` closes the form and nothing around it. */
export function formKeys(save: () => Promise<void>, close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (isCtrlEnter(event)) {
      event.preventDefault();
      void save();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
