// The fields of a case as forms hold them: texts, checked here as the program will check them again.
import type { Case, CaseField, Change, FieldValue } from '../ipc/bindings';
import { dayOf, localDate } from './time';
import { EDITABLE, isSlug, PRIORITIES } from './vocabulary';
import { FIELD_WORDS } from './words/case';

export type FormValues = Partial<Record<CaseField, string>>;

const NUMBERS: readonly CaseField[] = ['latitude', 'longitude'];
const REQUIRED: readonly CaseField[] = ['title', 'kind', 'priority'];

export function formValue(value: FieldValue | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

export function formOf(held: Case): FormValues {
  return Object.fromEntries(EDITABLE.map((field) => [field, formValue(held[field])]));
}

/** What the form's text means; undefined if it means nothing the field can hold. */
export function fieldValue(field: CaseField, text: string | undefined): FieldValue | undefined {
  if (text === undefined || text === '') return null;
  if (!NUMBERS.includes(field)) return text;
  const number = Number(text.trim().replace('−', '-'));
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number;
}

/** What is wrong with a field, said to a person; undefined if nothing is. */
export function problem(field: CaseField, text: string | undefined): string | undefined {
  const value = fieldValue(field, text);
  if (value === undefined) return `${FIELD_WORDS[field]} must be a number, such as 33.788.`;
  if (value === null) return REQUIRED.includes(field) ? `${FIELD_WORDS[field]} may not be empty.` : undefined;
  if (typeof value === 'number') {
    const limit = field === 'latitude' ? 90 : 180;
    return Math.abs(value) > limit ? `${FIELD_WORDS[field]} must be between −${limit} and ${limit}.` : undefined;
  }
  if (value.includes('\0')) return `${FIELD_WORDS[field]} contains a NUL character.`;
  if (field === 'kind' && !isSlug(value)) return 'Kind must be 1 to 40 of a–z, 0–9 and _.';
  if (field === 'priority' && !PRIORITIES.includes(value as never))
    return 'Priority must be low, normal, high or urgent.';
  if (field === 'due_on') {
    const day = dayOf(value);
    if (!day || localDate(day) !== value) return 'Due must be a date, such as 2026-12-11.';
  }
  return undefined;
}

export function problems(values: FormValues, fields: readonly CaseField[]): Partial<Record<CaseField, string>> {
  const found: Partial<Record<CaseField, string>> = {};
  for (const field of fields) {
    const said = problem(field, values[field]);
    if (said) found[field] = said;
  }
  return found;
}

/** The fields that differ from what the form started with. */
export function changedFields(from: FormValues, to: FormValues): Partial<Record<CaseField, Change>> {
  const changes: Partial<Record<CaseField, Change>> = {};
  for (const field of EDITABLE) {
    const before = fieldValue(field, from[field]) ?? null;
    const after = fieldValue(field, to[field]);
    if (after !== undefined && after !== before) changes[field] = { from: before, to: after };
  }
  return changes;
}

/** The fields of a new case that hold something. */
export function createdFields(values: FormValues): Partial<Record<CaseField, FieldValue>> {
  const fields: Partial<Record<CaseField, FieldValue>> = {};
  for (const field of EDITABLE) {
    const value = fieldValue(field, values[field]);
    if (value !== null && value !== undefined) fields[field] = value;
  }
  return fields;
}
