import { expect, it } from 'vitest';
import { aCluster } from '../../test/fakes/watched-canaries.ts';
import { CanaryModel, type ListChange } from './canary-model.ts';

function aModel() {
  const watched = aCluster();
  const model = new CanaryModel(watched.cluster, undefined, ({ metadata: { name, namespace = '' } }) => ({
    ...{ name, namespace, phase: 'Succeeded', suspended: false, failedChecks: 0 },
    ...{ target: { kind: 'Deployment', name }, traffic: { kind: 'weighted', primary: 100, canary: 0 } },
  }));
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

it('says that Canaries may not be read until they can be', () => {
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
