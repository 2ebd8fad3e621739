/** A `jwt` entry of an AuthenticationConfiguration. */
export interface JwtConfiguration {
  readonly issuer: IssuerConfiguration;
  readonly claimValidationRules?: readonly ClaimRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules?: readonly UserRule[];
}

export interface IssuerConfiguration {
  readonly url: string;
  readonly discoveryURL?: string;
  /** PEM; without it the host's CAs are trusted. */
  readonly certificateAuthority?: string;
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy?: string;
  readonly egressSelectorType?: string;
}

export interface ClaimRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

export interface UserRule {
  readonly expression: string;
  readonly message?: string;
}

export interface ClaimMappings {
  readonly username: Mapping;
  readonly groups?: Mapping;
  readonly uid?: Mapping;
  readonly extra?: readonly ExtraMapping[];
}

export interface Mapping {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

export interface ExtraMapping {
  readonly key: string;
  readonly valueExpression: string;
}

export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtConfiguration[];
  readonly anonymous?: { readonly enabled: boolean; readonly conditions?: readonly { readonly path: string }[] };
}
