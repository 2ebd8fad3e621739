import { admissionPlugins } from '@tsukube/builtin';
import { defaultAuthorizationModes } from './authorization-flags.ts';
import { inputFile, integer, texts } from './flag-types.ts';
import { suggestion, UsageError } from './usage-error.ts';

const group = 'Admission';

const knownPlugins = admissionPlugins.map(({ name }) => name);
const defaultPlugins = admissionPlugins.filter(({ isDefault }) => isDefault).map(({ name }) => name);
const lists = `(${defaultPlugins.join(', ')}). Comma-delimited list of: ${[...knownPlugins].sort().join(', ')}. The order does not matter.`;

const tolerationSeconds = (condition: string) =>
  integer({
    group,
    fallback: 300,
    min: 0,
    placeholder: 'SECONDS',
    help: `tolerationSeconds of the ${condition}:NoExecute toleration that pods get by default.`,
  });

const plugins = (help: string) => texts({ group, placeholder: 'PLUGIN,…', help, check: pluginsComplaint });

export const admissionFlags = {
  enableAdmissionPlugins: plugins(
    `Admission plugins to enable in addition to the default ones ${lists} NodeRestriction is also enabled with the Node authorizer.`,
  ),
  disableAdmissionPlugins: plugins(`Admission plugins to disable although they are enabled by default ${lists}`),
  admissionControl: plugins('Admission plugins to enable instead of the default ones. Deprecated.'),
  admissionControlConfigFile: inputFile({ group, help: 'Configuration of admission plugins: an AdmissionConfiguration.' }),
  defaultNotReadyTolerationSeconds: tolerationSeconds('node.kubernetes.io/not-ready'),
  defaultUnreachableTolerationSeconds: tolerationSeconds('node.kubernetes.io/unreachable'),
};

function pluginsComplaint(names: readonly string[]): string | undefined {
  const unknown = names.find((name) => !knownPlugins.includes(name));
  if (unknown === undefined) return undefined;
  const near = suggestion(unknown, knownPlugins);
  return `plugin "${unknown}" is unknown${near === undefined ? '' : `, did you mean ${near}?`}`;
}

type Chosen = Partial<
  Readonly<Record<'enableAdmissionPlugins' | 'disableAdmissionPlugins' | 'admissionControl', readonly string[]>>
>;

/** Rejects contradictory plugin lists, with kube-apiserver's messages. */
export function checkAdmission({
  enableAdmissionPlugins = [],
  disableAdmissionPlugins = [],
  admissionControl = [],
}: Chosen): void {
  const both = enableAdmissionPlugins.filter((name) => disableAdmissionPlugins.includes(name));
  if (both.length > 0)
    throw new UsageError(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  if (admissionControl.length > 0 && enableAdmissionPlugins.length + disableAdmissionPlugins.length > 0)
    throw new UsageError('admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive');
}

/** Whether a plugin runs. NodeRestriction runs by default with the Node authorizer, which a file of authorizers is assumed to have. */
export function runsPlugin(options: Chosen & Authorizers, name: string): boolean {
  const { enableAdmissionPlugins = [], disableAdmissionPlugins = [], admissionControl = [] } = options;
  if (admissionControl.length > 0) return admissionControl.includes(name);
  if (enableAdmissionPlugins.includes(name)) return true;
  if (disableAdmissionPlugins.includes(name)) return false;
  return defaultPlugins.includes(name) || (name === 'NodeRestriction' && authorizesNodes(options));
}

interface Authorizers {
  readonly authorizationMode?: readonly string[];
  readonly authorizationConfig?: string;
}

function authorizesNodes({ authorizationMode = [], authorizationConfig }: Authorizers): boolean {
  const modes = authorizationMode.length > 0 ? authorizationMode : defaultAuthorizationModes;
  return authorizationConfig !== undefined || modes.some((mode) => mode === 'Node');
}
