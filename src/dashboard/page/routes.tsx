import type { RouteFieldChange, RoutesView } from '../wire.ts';
import { Card, Table } from './parts.tsx';
import { words } from './words.ts';

/** The split in the route objects, and the fields in which they differ from a time without a release. */
export function RoutesCard({ routes: { objects, recorded, live, unreadable, changes, more } }: { routes: RoutesView }) {
  return (
    <Card title={words.routes} isWide>
      <Table
        title={words.routes}
        heads={[words.routeObjects, words.recorded, words.inForce]}
        rows={[
          [
            <span key="objects" class="mono">
              {objects.join(', ') || words.noRouteObjects}
            </span>,
            words.canaryWeight(recorded),
            <span key="live" class={live === recorded ? '' : 'wait'}>
              {live === undefined ? (unreadable ?? words.notFound) : words.canaryWeight(live)}
            </span>,
          ],
        ]}
      />
      <h3>{words.routeFields}</h3>
      {changes.length === 0 ? (
        <p>{words.noRouteChanges}</p>
      ) : (
        <Table
          title={words.routeFields}
          heads={[words.change, words.routeObject, words.field, words.allAtPrimary, words.inForce]}
          rows={changes.map((one) => [
            <Kind key="kind" of={one} />,
            ...[one.object, one.field || words.wholeObject].map((text, column) => (
              <span key={column} class="mono">
                {text}
              </span>
            )),
            <Value key="before" sign="−" meaning="bad" text={one.before} />,
            <Value key="now" sign="+" meaning="good" text={one.now} />,
          ])}
        />
      )}
      {more > 0 && <p>{words.moreFields(more)}</p>}
    </Card>
  );
}

function Kind({ of: { before, now } }: { of: RouteFieldChange }) {
  if (before === undefined) return <span class="good">{words.added}</span>;
  return now === undefined ? <span class="bad">{words.removed}</span> : <span class="wait">{words.changed}</span>;
}

const Value = ({ sign, meaning, text }: { sign: string; meaning: string; text: string | undefined }) =>
  text === undefined ? null : (
    <span class={`mono ${meaning}`}>
      {sign} {text}
    </span>
  );
