// The pure rules of this service, for the lab that attacks them (libs/trust-lab).
export { slashOf } from './bond/bond.ts'
