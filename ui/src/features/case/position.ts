// Where a case is, in words and degrees.
import type { Case } from '../../ipc/bindings';

function degrees(value: number | null): string {
  return value === null ? '–' : String(value).replace('-', '−');
}

/** "33.788, −118.190" */
export function position(held: Pick<Case, 'latitude' | 'longitude'>): string {
  return `${degrees(held.latitude)}, ${degrees(held.longitude)}`;
}

/** A district that is only a number reads "District 2". */
export function districtWords(district: string): string {
  return /^\d+$/.test(district) ? `District ${district}` : district;
}
