import { bytesOf, hexOf } from '../sign/bytes.ts'
import type { Wallet } from '../sign/wallet.ts'
import { type Job, newJob, type Player, type Role } from './job.ts'
import { practiceWallet } from './practice-wallet.ts'

const place = 'carapace-start'

type StoredPlayer = Omit<Player, 'wallet'> & ({ key: string } | { address: string })
type StoredJob = Omit<Job, 'players'> & { players: Partial<Record<Role, StoredPlayer>> }

/** Stores the job, as long as the tab lives: a reload goes on with it. */
export function storeJob(job: Job): void {
  const players = Object.fromEntries([...job.players].map(([role, { wallet, ...rest }]) => [role, { ...rest, ...secretOf(wallet) }]))
  sessionStorage.setItem(place, JSON.stringify({ ...job, players } satisfies StoredJob))
}

const secretOf = ({ key, address }: Wallet): { key: string } | { address: string } => (key === undefined ? { address } : { key: hexOf(key) })

/** The job of this tab, or a new one. A wallet of the browser signs again once it is found again. */
export function storedJob(chain: string): Job {
  const text = sessionStorage.getItem(place)
  if (text === null) return newJob(chain)
  const { players, ...job } = JSON.parse(text) as StoredJob
  const found = Object.entries(players).map(([role, player]) => [role as Role, playerOf(player)] as const)
  return { ...job, players: new Map(found) }
}

export const forgetJob = (): void => sessionStorage.removeItem(place)

function playerOf(stored: StoredPlayer): Player {
  if ('key' in stored) {
    const { key, ...rest } = stored
    return { ...rest, wallet: practiceWallet(bytesOf(key)) }
  }
  const { address, ...rest } = stored
  return { ...rest, wallet: { kind: 'browser', address, sign: () => Promise.reject(new Error(`Choose the wallet ${address} again`)) } }
}
