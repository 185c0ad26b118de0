import { expect, it } from 'vitest';
import { aCluster } from '../../test/fakes/watched-canaries.ts';
import { CanaryModel, type ListChange } from './canary-model.ts';
import type { CanaryRow } from './wire.ts';

const rowOf = ({ name, namespace = '' }: { name: string; namespace?: string }, phase = 'Succeeded'): CanaryRow => ({
  ...{ name, namespace, phase, suspended: false, failedChecks: 0 },
  ...{ target: { kind: 'Deployment', name }, traffic: { kind: 'weighted', primary: 100, canary: 0 } },
});
const keptOf = (name: string, since?: string): CanaryRow => ({ ...rowOf({ namespace: 'a', name }, 'kept'), since });

function aModel() {
  const watched = aCluster();
  const model = new CanaryModel(watched.cluster, undefined, ({ metadata }) => rowOf(metadata));
  const changes: ListChange[] = [];
  const forget = model.onChange((change) => changes.push(change));
  const names = () => {
    const { event, data } = model.list();
    return event === 'list' ? data.rows.map(({ namespace, name }) => `${namespace}/${name}`) : [];
  };
  return { watched, model, changes, forget, names };
}

it('keeps the rows of all Canaries sorted, by one watch, and says each change once', () => {
  const { watched, changes, names } = aModel();
  watched.list('b/one', 'a/two');
  watched.event('ADDED', 'a/three');
  watched.event('DELETED', 'b/one');
  watched.event('DELETED', 'b/one');
  expect(names()).toEqual(['a/three', 'a/two']);
  expect(changes.map(({ event }) => event)).toEqual(['list', 'row', 'gone']);
  expect(watched.watches()).toBe(1);
});

it('forgets what a new list no longer has', () => {
  const { watched, names } = aModel();
  watched.list('a/one', 'a/two');
  watched.list('a/two');
  expect(names()).toEqual(['a/two']);
});

it('I19: has a row for a kept primary, and reports when that row is added, changed and removed', () => {
  const { watched, model, changes, names } = aModel();
  watched.list('a/one', 'a/three');
  model.setKept([keptOf('two')]);
  expect(names()).toEqual(['a/one', 'a/three', 'a/two']);
  model.setKept([keptOf('two')]);
  model.setKept([keptOf('two', '2026-01-01T00:00:00Z')]);
  model.setKept([]);
  expect(changes.map(({ event }) => event)).toEqual(['list', 'row', 'row', 'gone']);
  expect(names()).toEqual(['a/one', 'a/three']);
});

it('I19: an existing Canary is shown, and its kept primary only after its deletion', () => {
  const { watched, model, changes } = aModel();
  const phases = () => model.list().data.rows.map(({ phase }) => phase);
  watched.list('a/one');
  model.setKept([keptOf('one')]);
  expect(phases()).toEqual(['Succeeded']);
  watched.event('DELETED', 'a/one');
  expect(phases()).toEqual(['kept']);
  watched.event('ADDED', 'a/one');
  model.setKept([]);
  expect(phases()).toEqual(['Succeeded']);
  expect(changes.map(({ event, data }) => ('phase' in data ? data.phase : event))).toEqual(['list', 'kept', 'Succeeded']);
});

it('reports Canaries as unreadable until they can be read', () => {
  const { watched, model } = aModel();
  watched.unavailable('canaries may not be read');
  expect(model.list().data).toMatchObject({ unavailable: 'canaries may not be read' });
  watched.list('a/one');
  expect(model.list().data).not.toHaveProperty('unavailable');
});

it('ends its watch, and says no more to a listener that left', () => {
  const { watched, model, changes, forget } = aModel();
  forget();
  watched.list('a/one');
  expect(changes).toEqual([]);
  model.stop();
  expect(watched.watches()).toBe(0);
});
