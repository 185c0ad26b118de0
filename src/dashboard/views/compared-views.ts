import type { ComparedReport } from '../../reading/documents/compared-report.ts';
import { sideText } from '../../reading/side-text.ts';
import type { ComparedView } from '../wire.ts';

/** The comparison with the primary as the page shows it. */
export const comparedViews = (compared: readonly ComparedReport[]): ComparedView[] =>
  compared.map(({ metric, verdict, sentence, decides, windows, canary, primary, against, inFavour }) => ({
    ...{ metric, verdict, sentence, decides },
    ...(windows === 0
      ? { canary: '', primary: '', against: '', inFavour: '' }
      : { canary: sideText(canary), primary: sideText(primary), against: `${against} %`, inFavour: `${inFavour} %` }),
  }));
