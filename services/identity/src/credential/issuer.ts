import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Config, writeOnce } from '@carapace/service'
import * as multikey from '@digitalbazaar/ecdsa-multikey'
import { calculateJwkThumbprint, type JWK } from 'jose'

/** A P-256 key under which credentials hold, in its two forms. */
interface PublicKey {
  publicKeyMultibase: string
  /** As a Multikey: in embedded proofs. */
  keyId: string
  /** As a JsonWebKey: in JWTs. */
  jwkId: string
  publicJwk: JWK
}

/** Who signs credentials: a did:web of the platform's host with one key, and others that it accepts while keys are exchanged. */
export interface Issuer extends PublicKey {
  did: string
  key: multikey.KeyPair
  secretJwk: JWK
  /** With its own. */
  accepted: readonly PublicKey[]
  didDocument: {
    '@context': string[]
    id: string
    verificationMethod: ({ id: string; controller: string } & (
      | { type: 'Multikey'; publicKeyMultibase: string }
      | { type: 'JsonWebKey'; publicKeyJwk: JWK }
    ))[]
    assertionMethod: string[]
    authentication: string[]
  }
}

interface KeyFile {
  publicKeyMultibase: string
  secretKeyMultibase: string
}

/** did:web of a base URL; the port is escaped, a path becomes segments. @example didOf('http://127.0.0.1:3000') === 'did:web:127.0.0.1%3A3000' */
export function didOf(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl)
  const segments = pathname.split('/').filter(Boolean).map(encodeURIComponent)
  return ['did:web', encodeURIComponent(host), ...segments].join(':')
}

/** Opens the issuer once it is needed: a platform that issues nothing stores no key. A failed opening is retried. */
export function issuerSource(config: Config, baseUrl: string): () => Promise<Issuer> {
  const file = config.ISSUER_KEY_FILE ?? path.join(config.DATA_DIR, 'keys', 'issuer.json')
  let opened: Promise<Issuer> | undefined
  return () => {
    opened ??= open(file, didOf(baseUrl), config.ISSUER_KEYS_ACCEPTED).catch(error => {
      opened = undefined
      throw error
    })
    return opened
  }
}

async function open(file: string, did: string, alsoAccepted: readonly string[]): Promise<Issuer> {
  const { publicKeyMultibase, secretKeyMultibase } = (await read(file)) ?? (await make(file))
  const own = await publicKey(did, publicKeyMultibase)
  const key = await multikey.from({ type: 'Multikey', id: own.keyId, controller: did, publicKeyMultibase, secretKeyMultibase })
  const others = alsoAccepted.filter(other => other !== publicKeyMultibase)
  const accepted = [own, ...(await Promise.all(others.map(other => publicKey(did, other))))]
  const ids = accepted.flatMap(({ keyId, jwkId }) => [keyId, jwkId])
  return {
    did,
    ...own,
    key,
    secretJwk: await multikey.toJwk({ keyPair: key, secretKey: true }),
    accepted,
    didDocument: {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1', 'https://w3id.org/security/jwk/v1'],
      id: did,
      verificationMethod: accepted.flatMap(({ keyId, jwkId, publicJwk, publicKeyMultibase }) => [
        { id: keyId, type: 'Multikey' as const, controller: did, publicKeyMultibase },
        { id: jwkId, type: 'JsonWebKey' as const, controller: did, publicKeyJwk: { ...publicJwk, alg: 'ES256', use: 'sig' } },
      ]),
      assertionMethod: ids,
      authentication: ids,
    },
  }
}

async function publicKey(did: string, publicKeyMultibase: string): Promise<PublicKey> {
  const keyId = `${did}#${publicKeyMultibase}`
  const publicJwk = await multikey.toJwk({ keyPair: await multikey.from({ type: 'Multikey', id: keyId, controller: did, publicKeyMultibase }) })
  return { publicKeyMultibase, keyId, publicJwk, jwkId: `${did}#${await calculateJwkThumbprint(publicJwk)}` }
}

async function read(file: string): Promise<KeyFile | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as KeyFile
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`the issuer key ${file} cannot be read`, { cause: error })
  }
}

/** Of two processes that make it at the same time, one writes and both use what was written. */
async function make(file: string): Promise<KeyFile> {
  const { publicKeyMultibase, secretKeyMultibase } = await (await multikey.generate({ curve: 'P-256' })).export({ publicKey: true, secretKey: true })
  await writeOnce(file, `${JSON.stringify({ publicKeyMultibase, secretKeyMultibase })}\n`)
  return (await read(file))!
}
