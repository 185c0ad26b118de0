import { hash } from 'node:crypto';
import { canonicalJson } from '../base/json.ts';

/** Hexadecimal SHA-256 of the canonical JSON. */
export function digest(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
