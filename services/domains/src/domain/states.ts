import { stateMachine } from '@carapace/store'

/** What becomes of a name; clients see `funding` and `minting` as pending, `transferring` and `burning` as active. */
export type DomainState = 'free' | 'funding' | 'minting' | 'active' | 'transferring' | 'burning' | 'released'
export type DomainTrigger =
  | 'fund'
  | 'mint'
  | 'drop'
  | 'restAgain'
  | 'confirmMint'
  | 'reverseMint'
  | 'reverseMintToRest'
  | 'transfer'
  | 'confirmTransfer'
  | 'failTransfer'
  | 'burn'
  | 'confirmBurn'
  | 'failBurn'
  | 'reverseBurn'
  | 'expireRest'

const deadline = '15 min after the command was sent: past its deadline the relayer signs nothing and reports EXPIRED'

/**
 * Every transition of a name (behaviour 9): reserve, pay and mint, transfer, delete. One record serves a name for ever, so that its reservation is one
 * guarded write, and each operation on it has a number that the contract accepts once. A deleted name that its former owner registers again, in vain, rests
 * on until the same day.
 */
export const domainStates = stateMachine<DomainState, DomainTrigger>({
  name: 'domain',
  initial: 'free',
  final: ['free', 'active'],
  transitions: {
    free: { fund: 'funding', confirmMint: 'active' },
    funding: { mint: { to: 'minting', byTime: 'as soon as treasury answers; queried again every 10 s' }, drop: 'free', restAgain: 'released' },
    minting: { confirmMint: 'active', drop: { to: 'free', byTime: deadline }, restAgain: { to: 'released', byTime: deadline } },
    active: { transfer: 'transferring', burn: 'burning', reverseMint: 'free', reverseMintToRest: 'released' },
    transferring: {
      confirmTransfer: 'active',
      failTransfer: { to: 'active', byTime: deadline },
      reverseMint: 'free',
      reverseMintToRest: 'released',
    },
    burning: { confirmBurn: 'released', failBurn: { to: 'active', byTime: deadline }, reverseMint: 'free', reverseMintToRest: 'released' },
    released: { fund: 'funding', confirmMint: 'active', reverseBurn: 'active', expireRest: { to: 'free', byTime: '30 d after the deletion' } },
  },
})

/** States that treasury and the chain end within minutes, and where they may lead. */
export const passingStates = {
  funding: ['active', 'free', 'released'],
  minting: ['active', 'free', 'released'],
  transferring: ['active'],
  burning: ['active', 'released'],
} as const satisfies Partial<Record<DomainState, readonly DomainState[]>>
