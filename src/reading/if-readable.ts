import { isForbidden, isNotFound } from '../kube/errors.ts';

/**
 * The answer, or `otherwise` where the kind is not installed or the user has no right to read it, which is noted: users can lack rights that the controller
 * has.
 */
export async function ifReadable<T, O>(answer: Promise<T>, otherwise: O, noteForbidden: () => void = () => {}): Promise<T | O> {
  try {
    return await answer;
  } catch (error) {
    if (isForbidden(error)) noteForbidden();
    else if (!isNotFound(error)) throw error;
    return otherwise;
  }
}

/** The answer; undefined where the kind is not installed: an object of it does not exist. */
export async function ifInstalled<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
