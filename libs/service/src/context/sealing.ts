import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** Secrets at rest: a reader of the database alone does not have them. */
export interface Sealing {
  /** Names the key that seals. */
  keyId: string
  /** @param owner where the text belongs; it opens nowhere else */
  seal(text: string, owner: string): string
  /** Undefined where it was sealed under a key that is not here. @throws Error for a text that was changed, or belongs elsewhere */
  open(sealed: string, owner: string): string | undefined
}

const algorithm = 'aes-256-gcm'
const [ivBytes, tagBytes, keyBytes] = [12, 16, 32]

/**
 * AES-256-GCM under keys that follow from the internal ones (HKDF): the first one seals, all open.
 * @example const sealing = openSealing(keysAccepted(internalKey, config)); sealing.open(sealing.seal(secret, id), id)
 */
export function openSealing(internalKeys: readonly string[]): Sealing {
  const keys = new Map(internalKeys.map(keyOf))
  const [[keyId, key]] = keys as Iterable<[string, Buffer]> as [[string, Buffer]]
  return {
    keyId,
    seal: (text, owner) => {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(owner))
      const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `${keyId}.${Buffer.concat([iv, cipher.getAuthTag(), data]).toString('base64url')}`
    },
    open: (sealed, owner) => {
      const [id = '', box = ''] = sealed.split('.')
      const opening = keys.get(id)
      if (!opening) return undefined
      const bytes = Buffer.from(box, 'base64url')
      const decipher = createDecipheriv(algorithm, opening, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(owner))
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

function keyOf(internalKey: string): [id: string, key: Buffer] {
  const key = Buffer.from(hkdfSync('sha256', internalKey, '', 'carapace sealed texts', keyBytes))
  return [createHash('sha256').update(key).digest('hex').slice(0, 8), key]
}
