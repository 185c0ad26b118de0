/**
 * Writes src/embedded/apiserver/protobuf.json: the protobuf form of the built-in kinds, from the Go types of k8s.io/api and k8s.io/apimachinery, whose tags are
 * where Kubernetes' own .proto files come from. Only they say which fields are pointers (whose zero is a value).
 * Usage: node scripts/embedded/generate-protobuf.ts path/to/k8s.io/api path/to/k8s.io/apimachinery (folders of the Go module cache)
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinKinds } from '../../src/embedded/apiserver/builtin-kinds.ts';
import type { ProtobufField } from '../../src/embedded/apiserver/protobuf.ts';

const [, , apiFolder, machineryFolder] = process.argv;
if (apiFolder === undefined || machineryFolder === undefined)
  throw new Error('usage: node scripts/embedded/generate-protobuf.ts path/to/k8s.io/api path/to/k8s.io/apimachinery');

interface GoPackage {
  /** Alias → package path below k8s.io/. */
  imports: Map<string, string>;
  structs: Map<string, string>;
  /** `type Name string` and its like. */
  names: Map<string, string>;
}

const META = 'apimachinery/pkg/apis/meta/v1';
/** Types that JSON writes as one value; the decoder knows them by these names. */
const special: Record<string, string> = {
  [`${META}.Time`]: 'time',
  [`${META}.MicroTime`]: 'microTime',
  [`${META}.FieldsV1`]: 'json',
  'apimachinery/pkg/runtime.RawExtension': 'json',
  'apimachinery/pkg/api/resource.Quantity': 'quantity',
  'apimachinery/pkg/util/intstr.IntOrString': 'intOrString',
};
const scalars: Record<string, string> = {
  string: 'string',
  bool: 'bool',
  int32: 'int',
  int64: 'int',
  float64: 'double',
  '[]byte': 'bytes',
};

const packages = new Map<string, GoPackage>();

function packageAt(path: string): GoPackage {
  const known = packages.get(path);
  if (known !== undefined) return known;
  const folder = path.startsWith('api/')
    ? join(String(apiFolder), path.slice('api/'.length))
    : join(String(machineryFolder), path.slice('apimachinery/'.length));
  const files = readdirSync(folder).filter((file) => file.endsWith('.go') && !file.endsWith('_test.go') && !file.includes('generated'));
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  const found: GoPackage = {
    imports: new Map(
      [...text.matchAll(/^\s+(?:(\w+)\s+)?"k8s\.io\/([^"]+)"$/gm)].map(([, alias, target = '']) => [
        alias ?? target.split('/').at(-1) ?? '',
        target,
      ]),
    ),
    structs: new Map([...text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)].map(([, name = '', body = '']) => [name, body])),
    names: new Map([...text.matchAll(/^type (\w+) ([\w.[\]]+)$/gm)].map(([, name = '', type = '']) => [name, type])),
  };
  packages.set(path, found);
  return found;
}

const messages: Record<string, Record<string, ProtobufField>> = {};

/** The message's name, after it and all that it refers to are in the table. */
function keep(path: string, name: string): string {
  const id = `${path.replace(/^api\//, '').replace(META, 'meta/v1')}.${name}`;
  if (id in messages) return id;
  const fields: Record<string, ProtobufField> = {};
  messages[id] = fields;
  const body = packageAt(path).structs.get(name);
  if (body === undefined) throw new Error(`${path} has no struct ${name}`);
  for (const [, type = '', json = '', number = ''] of body.matchAll(
    /^\t(?:\w+\s+)?(\S+)\s+`json:"([^"]*)".*?protobuf:"\w+,(\d+),[^"]*"`/gm,
  )) {
    const [jsonName = '', ...flags] = json.split(',');
    fields[number] = [flags.includes('inline') ? '' : jsonName, ...typed(path, type), flags.includes('omitempty') ? 0 : 1];
  }
  return id;
}

function typed(path: string, type: string): [type: string, form: '' | '*' | '[]' | '{}'] {
  const whole = scalars[type];
  if (whole !== undefined) return [whole, ''];
  if (type.startsWith('*')) return [typed(path, type.slice(1))[0], '*'];
  if (type.startsWith('[]')) return [typed(path, type.slice(2))[0], '[]'];
  const map = /^map\[[\w.]+\](.+)$/.exec(type);
  if (map !== null) return [typed(path, map[1] ?? '')[0], '{}'];
  const [, alias, name = ''] = /^(?:(\w+)\.)?(\w+)$/.exec(type) ?? [];
  const home = alias === undefined ? path : (packageAt(path).imports.get(alias) ?? '');
  const one = special[`${home}.${name}`];
  if (one !== undefined) return [one, ''];
  // Names of strings (types.UID, ResourceName …), of maps (ResourceList) and of lists.
  if (home === 'apimachinery/pkg/types') return ['string', ''];
  const named = packageAt(home).names.get(name);
  if (named !== undefined && !packageAt(home).structs.has(name)) return typed(home, named);
  return [keep(home, name), ''];
}

const folderOf = (group: string): string => (group === '' ? 'core' : (group.split('.')[0] ?? ''));
const roots: Record<string, string> = {};
// CustomResourceDefinitions live elsewhere (schemas are JSON inside), and no client sends them as protobuf by default.
for (const { group, version, kind } of builtinKinds.filter((each) => each.group !== 'apiextensions.k8s.io')) {
  const home = `api/${{ 'rbac.authorization.k8s.io': 'rbac' }[group] ?? folderOf(group)}/${version}`;
  roots[`${group === '' ? '' : `${group}/`}${version}/${kind}`] = keep(home, kind);
}
roots['v1/Binding'] = keep('api/core/v1', 'Binding');
roots['policy/v1/Eviction'] = keep('api/policy/v1', 'Eviction');
roots['autoscaling/v1/Scale'] = keep('api/autoscaling/v1', 'Scale');
roots.DeleteOptions = keep(META, 'DeleteOptions');

writeFileSync(new URL('../../src/embedded/apiserver/protobuf.json', import.meta.url), `${JSON.stringify({ roots, messages })}\n`);
