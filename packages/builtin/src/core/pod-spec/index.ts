export { containerImages, containerNames, formatLabels } from './columns.ts';
export { defaultPodSpec, defaultPodTemplate } from './defaults.ts';
export { validatePodSpec, validatePodTemplate } from './validation.ts';
export { podTemplateWarnings } from './warnings.ts';
