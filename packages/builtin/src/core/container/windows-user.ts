import type { FieldErrors, FieldPath } from '@tsukube/machinery';
import { report } from '../../common/field-validation.ts';

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const domainName = new RegExp(`^${label}(?:\\.${label})*$`);
const maxDomainLength = 256;
const maxUserLength = 104;

/** DOMAIN\user, the domain being optional. */
export function validateUserName(name: string, at: FieldPath, errors: FieldErrors): void {
  report(userNameProblems(name), at, name, errors);
}

function userNameProblems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\x00-\x1f\x7f]/.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? domainProblems(parts[0] ?? '') : []), ...userProblems(user)];
}

function domainProblems(domain: string): readonly string[] {
  const problems: string[] = [];
  if (domain.length >= maxDomainLength)
    problems.push(`runAsUserName's Domain length must be under ${maxDomainLength} characters`);
  if (!netBios.test(domain) && (domain.length > maxDomainLength || !domainName.test(domain)))
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return problems;
}

function userProblems(user: string): readonly string[] {
  const problems: string[] = [];
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (user.length > maxUserLength)
    problems.push(`runAsUserName's User length must not be longer than ${maxUserLength} characters`);
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return problems;
}
