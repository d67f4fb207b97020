import { refuse } from '@carapace/api'
import { type Database, duplicateIndex, openCollection } from '@carapace/store'

export interface Nonces {
  /** Claims a nonce of a wallet for ever, as far as signatures with it could still be valid. @throws SIGNATURE_REPLAYED */
  use(wallet: string, nonce: string, expires: Date): Promise<void>
}

const slackMs = 60_000

/** Shared by all gateway replicas. */
export async function openNonces(db: Database): Promise<Nonces> {
  const expire = { key: { expireAt: 1 }, expireAfterSeconds: 0 } as const
  const nonces = await openCollection<{ _id: string; expireAt: Date }>(db, 'signature_nonces', { expire })
  return {
    use: async (wallet, nonce, expires) => {
      try {
        await nonces.insertOne({ _id: `${wallet.toLowerCase()} ${nonce}`, expireAt: new Date(expires.getTime() + slackMs) })
      } catch (error) {
        if (duplicateIndex(error) === undefined) throw error
        refuse('SIGNATURE_REPLAYED')
      }
    },
  }
}
