// A conflict as choices: what each field could say, what was chosen, and what the decision sends.
import type { CaseField, ConflictDecision, ConflictView, FieldConflict, FieldValue } from '../../ipc/bindings';
import { fieldValue, formValue, problem } from '../../shared/fields';
import { EDITABLE } from '../../shared/vocabulary';

export type Side = 'mine' | 'theirs' | 'typed';
export type Choice = { side: Side; text: string };
export type Choices = Readonly<Record<string, Choice | undefined>>;

/** The fields a person must choose for: both sides changed them to different values. */
export function contested(conflict: ConflictView): FieldConflict[] {
  return conflict.fields.filter((field) => field.moved);
}

/** The fields nobody has to choose for: only one side changed them. */
export function uncontested(conflict: ConflictView): FieldConflict[] {
  return conflict.fields.filter((field) => !field.moved);
}

/** Status and assignee are picked, not typed. */
export function canType(field: string): field is CaseField {
  return EDITABLE.includes(field as CaseField);
}

/** The contested fields without a choice, or with a typed text the field cannot hold. */
export function missing(conflict: ConflictView, choices: Choices): string[] {
  return contested(conflict)
    .filter(({ field }) => {
      const choice = choices[field];
      if (!choice) return true;
      return choice.side === 'typed' && typedProblem(field, choice.text) !== undefined;
    })
    .map(({ field }) => field);
}

export function typedProblem(field: string, text: string): string | undefined {
  return canType(field) ? problem(field, text) : 'This cannot be typed.';
}

/** What a field will say; undefined while that is open. */
export function result(field: FieldConflict, choice: Choice | undefined): FieldValue | undefined {
  if (!field.moved) return field.mine;
  if (!choice) return undefined;
  if (choice.side === 'mine') return field.mine;
  if (choice.side === 'theirs') return field.theirs;
  return canType(field.field) ? fieldValue(field.field, choice.text) : undefined;
}

/** The decision the choices make; undefined while something is missing. */
export function decisionOf(conflict: ConflictView, choices: Choices): ConflictDecision | undefined {
  if (missing(conflict, choices).length > 0) return undefined;
  const fields = contested(conflict);
  if (fields.every(({ field }) => choices[field]?.side === 'mine')) return { kind: 'keep', side: 'mine' };
  if (isAllTheirs(conflict, choices)) return { kind: 'keep', side: 'theirs' };
  const values: Record<string, FieldValue> = {};
  for (const field of conflict.fields) {
    const value = result(field, choices[field.field]);
    if (value !== undefined) values[field.field] = value;
  }
  return { kind: 'fields', values };
}

/** Whether nothing of mine remains: every field is theirs, so there is nothing to send. */
export function isAllTheirs(conflict: ConflictView, choices: Choices): boolean {
  const fields = contested(conflict);
  return (
    fields.length > 0 &&
    uncontested(conflict).every((field) => field.mine === field.theirs || field.mine === field.base) &&
    fields.every(({ field }) => choices[field]?.side === 'theirs')
  );
}

/** The fields whose value at the server moved since it was last looked at. */
export function movedSince(before: ConflictView, after: ConflictView): string[] {
  return after.fields
    .filter((field) => {
      const old = before.fields.find((other) => other.field === field.field);
      return old !== undefined && old.theirs !== field.theirs;
    })
    .map(({ field }) => field);
}

/** The text a typed choice starts from. */
export function startText(field: FieldConflict, from: 'mine' | 'theirs' | 'both'): string {
  if (from === 'mine') return formValue(field.mine);
  if (from === 'theirs') return formValue(field.theirs);
  return [formValue(field.mine), formValue(field.theirs)].filter(Boolean).join('\n');
}
