/** As OpenAPI names the types of custom resources: com.example.stable.v1.CronTab. */
export function typeName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}
