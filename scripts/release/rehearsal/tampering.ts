import type { Verified } from './verification.ts';

/** Something of a release that is changed without its publisher. */
export interface Tampering {
  what: string;
  /** Name of the documented verification that has to notice it. */
  verification: string;
  /** Changes it; the result undoes the change. */
  change(): Promise<() => Promise<void>>;
}

/** Refusal of a tampering. */
export interface Refusal {
  what: string;
  verification: string;
  /** The first lines of the complaint of the verification. */
  words: readonly string[];
}

const SHOWN_LINES = 2;
/** Lines with a complaint, of sha256sum, diff, npm, cosign and buildah. */
const COMPLAINT = /error|fail|not match|^[<>] /i;
const NO_COMPLAINT = /A complete log of this run/;

/** Plays a tampering. Throws where the verification passes although something was changed, or fails before or after. */
export async function refusalOf({ what, verification, change }: Tampering, look: () => Verified): Promise<Refusal> {
  const passes = (when: string): void => {
    const { code, said } = look();
    if (code !== 0) throw new Error(`${what}: the verification "${verification}" fails ${when} anything is changed:\n${said}`);
  };
  passes('before');
  const undo = await change();
  const { code, said } = look();
  await undo();
  if (code === 0) throw new Error(`${what}: the verification "${verification}" does not notice it:\n${said}`);
  passes('after');
  const complaints = said.split('\n').filter((line) => COMPLAINT.test(line) && !NO_COMPLAINT.test(line));
  return { what, verification, words: [...new Set(complaints)].slice(0, SHOWN_LINES) };
}
