const v1 = '@io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1 apiextensions.k8s.io/v1';

/** What v1beta1 of definitions has in another form than v1. */
const differing = `CustomResourceColumnDefinition: name 1 string ! =; type 2 string ! =; format 3 string; description 4 string; priority 5 int32; JSONPath 6 string ! =
CustomResourceConversion: strategy 1 string ! =; webhookClientConfig 2 WebhookClientConfig; conversionReviewVersions 3 []string atomic
CustomResourceDefinitionSpec: group 1 string ! =; version 2 string; names 3 CustomResourceDefinitionNames ! =; scope 4 string ! =; validation 5 CustomResourceValidation; subresources 6 CustomResourceSubresources; versions 7 []CustomResourceDefinitionVersion atomic; additionalPrinterColumns 8 []CustomResourceColumnDefinition atomic; selectableFields 11 []SelectableField atomic; conversion 9 CustomResourceConversion; preserveUnknownFields 10 boolean`;

/** The lines of the types of apiextensions.k8s.io/v1beta1, made from all lines. */
export function oldDefinitionLines(lines: readonly string[]): readonly string[] {
  const start = lines.indexOf(v1);
  const rest = lines.slice(start + 1);
  const own = rest.slice(
    0,
    rest.findIndex((line) => line.startsWith('@')),
  );
  const other = new Map(differing.split('\n').map((line) => [nameOf(line), line]));
  return [v1.replaceAll('v1', 'v1beta1'), ...own.map((line) => other.get(nameOf(line)) ?? line)];
}

function nameOf(line: string): string {
  return line.slice(0, line.search(/[ :]/));
}
