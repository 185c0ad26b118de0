import type { Json, JsonObject } from './json.ts';
import { invalidValue, required, type StatusCause } from './status.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;
const LONGEST_PORT_NAME = 15;
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export const portsOf = (spec: Json): JsonObject[] => (Array.isArray(spec?.ports) ? spec.ports : []);

/** Errors of kube-apiserver in the ports of a Service. Source: its ValidateService. */
export function portCauses(spec: JsonObject): StatusCause[] {
  const ports = portsOf(spec);
  const isHeadless = spec.clusterIP === 'None';
  if (ports.length === 0) return isHeadless ? [] : [required('spec.ports')];
  const names = new Set<string>();
  const numbers = new Set<string>();
  return ports.flatMap((one, index) => {
    const field = `spec.ports[${index}]`;
    const { name = '', port, protocol, targetPort } = one;
    const causes = [...nameCauses(name, ports.length > 1, `${field}.name`), ...numberCauses(port, `${field}.port`)];
    if (name !== '' && names.has(name)) causes.push(duplicate(`${field}.name`, name));
    names.add(name);
    if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
      const supported = PROTOCOLS.map((each) => JSON.stringify(each)).join(', ');
      const message = `Unsupported value: ${JSON.stringify(protocol)}: supported values: ${supported}`;
      causes.push({ reason: 'FieldValueNotSupported', message, field: `${field}.protocol` });
    }
    causes.push(...targetCauses(targetPort, `${field}.targetPort`));
    const number = `${port}/${protocol ?? 'TCP'}`;
    if (numbers.has(number)) causes.push(duplicate(field, one));
    numbers.add(number);
    return causes;
  });
}

function nameCauses(name: string, isNeeded: boolean, field: string): StatusCause[] {
  if (name === '') return isNeeded ? [required(field)] : [];
  if (name.length > LONGEST_LABEL) return [invalidValue(field, name, `must be no more than ${LONGEST_LABEL} characters`)];
  return LABEL.test(name)
    ? []
    : [invalidValue(field, name, 'a lowercase RFC 1123 label must consist of lower case alphanumeric characters')];
}

function targetCauses(target: Json, field: string): StatusCause[] {
  if (target === undefined) return [];
  if (typeof target === 'number') return numberCauses(target, field);
  const name = String(target);
  if (name.length > LONGEST_PORT_NAME) return [invalidValue(field, name, `must be no more than ${LONGEST_PORT_NAME} characters`)];
  if (!LABEL.test(name) || name.includes('--'))
    return [invalidValue(field, name, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens ('-')")];
  return /[a-z]/.test(name) ? [] : [invalidValue(field, name, 'must contain at least one letter (a-z)')];
}

function numberCauses(port: Json, field: string): StatusCause[] {
  return typeof port === 'number' && port >= 1 && port <= 65_535
    ? []
    : [invalidValue(field, port, 'must be between 1 and 65535, inclusive')];
}

const duplicate = (field: string, value: Json): StatusCause => ({
  reason: 'FieldValueDuplicate',
  message: `Duplicate value: ${JSON.stringify(value)}`,
  field,
});
