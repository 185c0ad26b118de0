import type { ComparedView } from '../wire.ts';
import { Card, PhaseBadge, Table } from './parts.tsx';
import { words } from './words.ts';

/** The comparison with the primary, a row for each metric. */
export const ComparedCard = ({ compared }: { compared: readonly ComparedView[] }) => (
  <Card title={compared.some(({ decides }) => decides) ? words.compared : words.comparedInShadow} isWide>
    <Table
      title={words.compared}
      heads={[words.metric, words.verdict, words.canary, words.primary, words.against, words.inFavour]}
      rows={compared.map(({ metric, verdict, sentence, canary, primary, against, inFavour }) => [
        metric,
        <span key="verdict">
          <PhaseBadge phase={verdict} /> {sentence}
        </span>,
        canary,
        primary,
        against,
        inFavour,
      ])}
    />
  </Card>
);
