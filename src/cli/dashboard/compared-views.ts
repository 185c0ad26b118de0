import type { ComparedView } from '../../dashboard/wire.ts';
import { sideText } from '../canaries/compared-rows.ts';
import type { ComparedReport } from '../output/compared-report.ts';

/** The comparison with the primary as the page shows it. */
export const comparedViews = (compared: readonly ComparedReport[]): ComparedView[] =>
  compared.map(({ metric, verdict, sentence, decides, windows, canary, primary, against, inFavour }) => ({
    ...{ metric, verdict, sentence, decides },
    ...(windows === 0
      ? { canary: '', primary: '', against: '', inFavour: '' }
      : { canary: sideText(canary), primary: sideText(primary), against: `${against} %`, inFavour: `${inFavour} %` }),
  }));
