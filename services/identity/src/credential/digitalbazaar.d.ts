/** The parts that are used here of libraries that come without types. */
declare module '@digitalbazaar/ecdsa-multikey' {
  export interface KeyPair {
    id: string
    controller: string
    publicKeyMultibase: string
    secretKeyMultibase?: string
    signer(): object
    export(options: { publicKey: true; secretKey?: boolean; includeContext?: boolean }): Promise<Record<string, string>>
  }
  export function generate(options: { curve: 'P-256' }): Promise<KeyPair>
  export function from(key: Record<string, string>): Promise<KeyPair>
  export function toJwk(options: { keyPair: KeyPair; secretKey?: boolean }): Promise<import('jose').JWK>
}
declare module '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite' {
  export const cryptosuite: object
}
declare module '@digitalbazaar/data-integrity' {
  export class DataIntegrityProof {
    constructor(options: { cryptosuite: object; signer?: object; date?: string })
  }
}
declare module '@digitalbazaar/vc' {
  type Loader = (url: string) => Promise<{ contextUrl: null; documentUrl: string; document: object }>
  export const defaultDocumentLoader: Loader
  export function issue(options: { credential: object; suite: object; documentLoader: Loader; now?: Date }): Promise<Record<string, unknown>>
  export function verifyCredential(options: {
    credential: object
    suite: object
    documentLoader: Loader
    now?: Date
    checkStatus?: () => Promise<{ verified: boolean }>
  }): Promise<{ verified: boolean; error?: Error & { errors?: Error[] } }>
}
declare module '@digitalcredentials/credentials-v2-context' {
  export const contexts: Map<string, object>
}
