import type { Json, JsonObject } from './json.ts';
import { duplicateValue, invalidValue, required, type StatusCause, unsupportedValue } from './status.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LONGEST_LABEL = 63;
const LONGEST_PORT_NAME = 15;
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export const portsOf = (spec: Json): JsonObject[] => (Array.isArray(spec?.ports) ? spec.ports : []);

/** Errors of kube-apiserver in the ports of a Service. Source: its ValidateService. */
export function servicePortCauses(spec: JsonObject): StatusCause[] {
  const ports = portsOf(spec);
  if (ports.length === 0) return spec.clusterIP === 'None' || spec.type === 'ExternalName' ? [] : [required('spec.ports')];
  const names = new Set<string>();
  const numbers = new Set<string>();
  return ports.flatMap(({ name = '', port, protocol, targetPort }, index) => {
    const field = `spec.ports[${index}]`;
    const causes = [...nameCauses(name, ports.length > 1, `${field}.name`), ...numberCauses(port, `${field}.port`)];
    if (name !== '' && names.has(name)) causes.push(duplicateValue(`${field}.name`, name));
    names.add(name);
    causes.push(...protocolCauses(protocol, `${field}.protocol`), ...targetCauses(targetPort, `${field}.targetPort`));
    const number = `${port}/${protocol ?? 'TCP'}`;
    if (numbers.has(number)) causes.push(duplicateValue(field, { port, protocol }));
    numbers.add(number);
    return causes;
  });
}

/** Errors of kube-apiserver in the ports of one container. Source: its validateContainerPorts. */
export function containerPortCauses(ports: readonly JsonObject[], path: string): StatusCause[] {
  const names = new Set<string>();
  return ports.flatMap(({ name = '', containerPort, protocol }, index) => {
    const field = `${path}[${index}]`;
    const causes = name === '' ? [] : portNameCauses(name, `${field}.name`);
    if (name !== '' && names.has(name)) causes.push(duplicateValue(`${field}.name`, name));
    names.add(name);
    const number = `${field}.containerPort`;
    causes.push(...(containerPort === undefined ? [required(number)] : numberCauses(containerPort, number)));
    return [...causes, ...protocolCauses(protocol, `${field}.protocol`)];
  });
}

function protocolCauses(protocol: Json, field: string): StatusCause[] {
  return protocol === undefined || PROTOCOLS.includes(protocol) ? [] : [unsupportedValue(field, protocol, PROTOCOLS)];
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
  return portNameCauses(String(target), field);
}

export function portNameCauses(name: string, field: string): StatusCause[] {
  if (name.length > LONGEST_PORT_NAME) return [invalidValue(field, name, `must be no more than ${LONGEST_PORT_NAME} characters`)];
  if (name.includes('--')) return [invalidValue(field, name, 'must not contain consecutive hyphens')];
  if (!LABEL.test(name)) return [invalidValue(field, name, "must contain only alpha-numeric characters (a-z, 0-9), and hyphens ('-')")];
  return /[a-z]/.test(name) ? [] : [invalidValue(field, name, 'must contain at least one letter (a-z)')];
}

export function numberCauses(port: Json, field: string): StatusCause[] {
  return typeof port === 'number' && port >= 1 && port <= 65_535
    ? []
    : [invalidValue(field, port, 'must be between 1 and 65535, inclusive')];
}
