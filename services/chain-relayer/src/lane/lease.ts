import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { mongo } from 'mongoose'
import type { Timings } from './timings.ts'

export interface LeaseRecord {
  _id: string
  holder: string
  epoch: number
  expiresAt: Date
  /** The holder only finishes what the key of this lane accepted. */
  retiring?: boolean
  /** When a holder that only finishes followed one that led. */
  retiringSince?: Date
  /** The holder does not lead yet. */
  beginning?: boolean
  /** What the holder has to do, as of its last renewal: for processes on standby. */
  figures?: LaneFigures
}

/** How much work a lane has. */
export interface LaneFigures {
  /** Operations that are not signed. */
  queued: number
  /** Transactions that are not mined. */
  inflight: number
  /** Slots between the lowest unmined one and the next nonce that nothing holds: must be 0. */
  nonceGap: number
}

/** The right to sign and send for one lane. It gives liveness only: unique indexes make a stale holder harmless. */
export interface Lease {
  readonly epoch: number
  /** False once the holder can no longer be sure; then nothing may be signed or sent. */
  valid(): boolean
  /** Resolves when the lease is lost or released. */
  readonly lost: Promise<void>
  /** Each renewal says from now on what the lane has to do. */
  describe(figures: () => LaneFigures): void
  /** The holder leads from now on. */
  begun(): Promise<void>
  release(): Promise<void>
}

/** Of this process. */
const ownHolders = new Set<string>()

/**
 * Acquires the lane's lease if it is vacant or has expired.
 * @param isAlone no other process uses the database: a holder that is not of this one has ended
 * @param retiring whether the key of the lane is the former one of its network
 * @returns undefined while another holder has it
 */
export async function acquireLease(
  leases: mongo.Collection<LeaseRecord>,
  lane: string,
  timings: Timings,
  isAlone = false,
  retiring = false,
): Promise<Lease | undefined> {
  const holder = `${hostname()}/${process.pid}/${randomUUID()}`
  const now = new Date()
  let renewedAt = performance.now()
  await leases.updateOne({ _id: lane }, { $setOnInsert: { holder: '', epoch: 0, expiresAt: new Date(0) } }, { upsert: true })
  const present = await leases.findOne({ _id: lane })
  if (!present || isHeld(present, now, isAlone)) return undefined
  const since = retiring && !(present.retiring && present.retiringSince) ? { retiringSince: now } : {}
  const acquired = await leases.findOneAndUpdate(
    { _id: lane, holder: present.holder, epoch: present.epoch },
    { $set: { holder, retiring, ...since, beginning: true, expiresAt: new Date(now.getTime() + timings.leaseTtlMs) }, $inc: { epoch: 1 } },
    { returnDocument: 'after' },
  )
  if (!acquired) return undefined
  ownHolders.add(holder)
  const epoch = Number(acquired.epoch)

  let over = false
  let end = () => {}
  const lost = new Promise<void>(resolve => {
    end = resolve
  })
  const stop = () => {
    over = true
    clearInterval(timer)
    end()
  }
  let renewing = false
  let figures: (() => LaneFigures) | undefined
  const timer = setInterval(() => {
    if (performance.now() - renewedAt > timings.leaseTrustMs) return stop()
    if (renewing) return
    renewing = true
    renew()
      .catch(() => undefined)
      .finally(() => {
        renewing = false
      })
  }, timings.leaseRenewMs)

  async function renew(): Promise<void> {
    const at = performance.now()
    const expiresAt = new Date(Date.now() + timings.leaseTtlMs)
    const renewed = await leases.updateOne({ _id: lane, holder, epoch }, { $set: { expiresAt, ...(figures ? { figures: figures() } : {}) } })
    if (renewed.matchedCount === 0) stop()
    else renewedAt = at
  }

  return {
    epoch,
    valid: () => !over && performance.now() - renewedAt < timings.leaseTrustMs,
    lost,
    describe: by => {
      figures = by
    },
    begun: async () => {
      await leases.updateOne({ _id: lane, holder, epoch }, { $set: { beginning: false } })
    },
    release: async () => {
      stop()
      await leases.updateOne({ _id: lane, holder, epoch }, { $set: { expiresAt: new Date(0) } })
    },
  }
}

/** What the holder of a lane's lease last reported; undefined while nobody holds it as that of a present key. */
export async function leaseFigures(leases: mongo.Collection<LeaseRecord>, lane: string): Promise<LaneFigures | undefined> {
  const record = await leases.findOne({ _id: lane })
  if (!record || record.retiring || record.expiresAt < new Date()) return undefined
  return record.figures ?? { queued: 0, inflight: 0, nonceGap: 0 }
}

/** Whether a process holds the lease at that time, and is known not to have ended. */
export const isHeld = ({ holder, expiresAt }: LeaseRecord, now: Date, isAlone: boolean): boolean =>
  expiresAt >= now && !isDead(holder) && !(isAlone && !ownHolders.has(holder))

/** A process of this machine that has ended does not return: no need to wait until its lease expires. */
function isDead(holder: string): boolean {
  const [host, pid] = holder.split('/')
  if (host !== hostname() || !pid || Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
