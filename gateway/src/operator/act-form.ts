import type { AdminCaller } from '@carapace/api'
import { type Html, html, type Piece } from '../web/html.ts'
import { type Act, type ActName, acts, type Field } from './acts.ts'

/** What the forms of a session have in common. */
export interface FormRules {
  admin: AdminCaller
  csrf: string
  /** Each act is signed by the wallet. */
  mustSign: boolean
  newId(): string
}

/**
 * Makes the form of an act. Each has a key of its own: sent twice, by a second click or because its answer was lost, it is one act.
 * @param fixed fields that are sent as they are; the others are filled in
 * @param label of its button
 */
export type ActForm = (name: ActName, fixed?: Readonly<Record<string, string>>, label?: string) => Html

export const actForms =
  (rules: FormRules): ActForm =>
  (name, fixed = {}, label = acts[name].title) => {
    const { fields } = acts[name] as Act
    const entered = Object.entries(fields).filter(([field]) => fixed[field] === undefined)
    const hidden = Object.entries({ csrf: rules.csrf, key: rules.newId(), ...fixed }).map(
      ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`,
    )
    return html`<form class="act" method="post" action="/operator/acts/${name}" data-signer="${rules.mustSign ? rules.admin.wallet : ''}">${hidden}${entered.length > 0 && html`<div class="filters">${entered.map(([field, kind]) => entry(field, kind))}</div>`}<button class="button${entered.length === 0 && ' small quiet'}" type="submit">${label}</button></form>`
  }

/** Sends again what was entered, under the same key: nothing is left to fill in. */
export const repeatForm = (name: ActName, sent: URLSearchParams, rules: FormRules): Html => {
  const entered = ['key', ...Object.keys(acts[name].fields)].map(field => [field, sent.get(field) ?? ''])
  return actForms(rules)(name, Object.fromEntries(entered), 'Send it again')
}

const entry = (name: string, field: Field): Html => html`<label class="field"><span>${field.label}</span>${control(name, field)}</label>`

function control(name: string, field: Field): Piece {
  if (field.kind === 'flag')
    return html`<select name="${name}"><option value="true">${field.yes}</option><option value="false">${field.no}</option></select>`
  if (field.kind === 'choice')
    return html`<select name="${name}">${Object.entries(field.values).map(([value, title]) => html`<option value="${value}">${title}</option>`)}</select>`
  const isRequired = field.kind !== 'number' || !field.isOptional
  return html`<input name="${name}" inputmode="${field.kind === 'number' ? 'decimal' : 'text'}"${isRequired && html` required`} autocomplete="off">`
}
