import { contexts } from '@digitalcredentials/credentials-v2-context'
import { CompactSign, compactVerify, decodeProtectedHeader, importJWK } from 'jose'
import type { ReputationCredential, StatusListCredential } from './document.ts'
import type { Issuer } from './issuer.ts'

const jwtType = 'vc+jwt'
const multikeyContext = 'https://w3id.org/security/multikey/v1'

type Secured = ReputationCredential | StatusListCredential

/** JSON-LD and its proofs. Loaded with the first proof: they are the slowest modules of the service, and a start issues none. */
async function dataIntegrity() {
  const [{ DataIntegrityProof }, { cryptosuite }, vc] = await Promise.all([
    import('@digitalbazaar/data-integrity'),
    import('@digitalbazaar/ecdsa-rdfc-2019-cryptosuite'),
    import('@digitalbazaar/vc'),
  ])
  return { DataIntegrityProof, cryptosuite, vc }
}

/** Contexts and the issuer's own documents; nothing is fetched. */
function loaderOf({ did, didDocument }: Issuer) {
  const methods = didDocument.verificationMethod.filter(({ type }) => type === 'Multikey')
  const keys = methods.map(method => [method.id, { '@context': multikeyContext, ...method }] as const)
  const documents = new Map<string, object>([...contexts, [did, didDocument], ...keys])
  return async (url: string) => {
    const document = documents.get(url)
    if (document) return { contextUrl: null, documentUrl: url, document }
    return (await dataIntegrity()).vc.defaultDocumentLoader(url)
  }
}

/** The credential with an embedded DataIntegrityProof, cryptosuite ecdsa-rdfc-2019. Costs some 20 ms. */
export async function secured(issuer: Issuer, credential: Secured): Promise<Record<string, unknown>> {
  const { DataIntegrityProof, cryptosuite, vc } = await dataIntegrity()
  const suite = new DataIntegrityProof({ cryptosuite, signer: issuer.key.signer(), date: credential.validFrom })
  return vc.issue({ credential: structuredClone(credential), suite, documentLoader: loaderOf(issuer), now: new Date(credential.validFrom) })
}

/** Why the proof does not hold; undefined when it does. Dates and status are the caller's matter. */
export async function faultOf(issuer: Issuer, credential: ReputationCredential & { proof: object }): Promise<string | undefined> {
  const { DataIntegrityProof, cryptosuite, vc } = await dataIntegrity()
  const suite = new DataIntegrityProof({ cryptosuite })
  const [documentLoader, now] = [loaderOf(issuer), new Date(credential.validFrom)]
  // the status is the caller's matter, too
  const verdict = await vc.verifyCredential({ credential, suite, documentLoader, now, checkStatus: async () => ({ verified: true }) })
  if (verdict.verified) return undefined
  return verdict.error?.errors?.[0]?.message ?? verdict.error?.message ?? 'The proof does not hold'
}

/** The credential as a JWT of type vc+jwt (ES256): the payload is the credential with `iss`. */
export async function asJwt({ secretJwk, did, jwkId }: Issuer, credential: Secured): Promise<string> {
  const key = await importJWK(secretJwk, 'ES256')
  const payload = Buffer.from(JSON.stringify({ iss: did, ...credential }))
  return new CompactSign(payload).setProtectedHeader({ alg: 'ES256', typ: jwtType, cty: 'vc', kid: jwkId }).sign(key)
}

/** The credential in a JWT whose signature is the issuer's; undefined otherwise. */
export async function fromJwt({ accepted, publicJwk: own, did }: Issuer, jwt: string): Promise<unknown> {
  try {
    const { kid } = decodeProtectedHeader(jwt)
    const { publicJwk } = accepted.find(({ jwkId }) => jwkId === kid) ?? { publicJwk: own }
    const { payload, protectedHeader } = await compactVerify(jwt, await importJWK(publicJwk, 'ES256'), { algorithms: ['ES256'] })
    const { iss, ...credential } = JSON.parse(Buffer.from(payload).toString())
    return protectedHeader.typ === jwtType && iss === did ? credential : undefined
  } catch {
    // not a JWT of ours, or not a JWT at all
    return undefined
  }
}
