import { bondLockStates } from './bond/bond-lock-states.ts'
import { bondMoveStates } from './bond/bond-move-states.ts'
import { claimStates } from './claim/claim-states.ts'
import { escrowStates } from './escrow/escrow-states.ts'
import { slashStates } from './slash/slash-states.ts'

export const states = [bondLockStates, bondMoveStates, escrowStates, claimStates, slashStates]
