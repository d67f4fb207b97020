import type { Chain } from '@carapace/api'
import { bookingOf, type Database, type Indexes } from '@carapace/store'
import type { ClientSession } from 'mongoose'
import type { Posting, TreasuryLedger } from '../ledger/ledger.ts'
import type { DepositStatus } from './deposit-states.ts'
import { depositPostings } from './postings.ts'

/** A transfer into a custodial wallet as the books have it. */
export interface Deposit {
  /** `logIdentity` of the transfer. One of the time before that was known may have `<network>:<block hash>:<log index>`. */
  id: string
  chain: Chain
  txHash: string
  walletId: string
  agentId: string
  /** The custodial address, EIP-55. */
  to: string
  /** EIP-55 */
  from: string
  /** µ */
  amount: bigint
  /** The account that is debited. */
  source: string
  /** dropped: by the chain, and what was credited is reversed. */
  status: DepositStatus
  /** How often it was credited: a number of its own for each entry and its reversal. */
  posting: number
  /** Key of the entry of the first posting. */
  entryKey: string
  /** Its line in the agent's history. */
  historyId: string | null
}

/** A dropped one was stored as `gone` before. */
type Row = Omit<Deposit, 'id' | 'status'> & { _id: string; status: DepositStatus | 'gone' }

const indexes: Indexes = {
  // one entry belongs to one deposit
  entry_key: { key: { entryKey: 1 }, unique: true },
  tx_hash: { key: { txHash: 1 } },
  wallet_status: { key: { walletId: 1, status: 1 } },
}

export interface DepositStore {
  get(id: string, session?: ClientSession): Promise<Deposit | undefined>
  ofTransaction(chain: Chain, txHash: string, session: ClientSession): Promise<Deposit[]>
  credited(walletId: string): Promise<Deposit[]>
  /** Those of these entries that belong to a record, in any status. */
  recorded(entryKeys: readonly string[]): Promise<string[]>
  /**
   * Stores a deposit, and posts what that changes.
   * @param before its record as the caller has read it in this session; undefined where there is none
   */
  put(before: Deposit | undefined, deposit: Deposit, session: ClientSession): Promise<void>
  /** Stores a deposit whose entries are in the ledger already: one of the time before there were records, or under another id. */
  adopt(deposit: Deposit, session: ClientSession): Promise<void>
  remove(id: string, session: ClientSession): Promise<void>
}

export function depositStore(db: Database, ledger: TreasuryLedger): DepositStore {
  const rows = db.collection<Row>('deposits', indexes)
  const view = ({ _id, status, ...row }: Row): Deposit => ({ id: _id, ...row, status: status === 'credited' ? status : 'dropped' })
  const booking = bookingOf<Deposit, undefined, Posting>(db, 'deposits', { ledger, postings: depositPostings })
  const get: DepositStore['get'] = async (id, session) => {
    const row = await rows.findOne({ _id: id }, session ? { session } : {})
    return row ? view(row) : undefined
  }
  const adopt: DepositStore['adopt'] = async ({ id, ...row }, session) => {
    await rows.replaceOne({ _id: id }, row, { session, upsert: true })
  }
  return {
    get,
    adopt,
    ofTransaction: async (chain, txHash, session) => (await rows.find({ txHash, chain }, { session }).toArray()).map(view),
    credited: async walletId => (await rows.find({ walletId, status: 'credited' }).toArray()).map(view),
    recorded: async entryKeys =>
      (await rows.find({ entryKey: { $in: [...entryKeys] } }, { projection: { entryKey: 1 } }).toArray()).map(row => row.entryKey),
    put: async (before, after, session) => {
      await booking.write({ before, after, decision: undefined, session }, async () => {
        await adopt(after, session)
        return true
      })
    },
    remove: async (id, session) => {
      await rows.deleteOne({ _id: id }, { session })
    },
  }
}
