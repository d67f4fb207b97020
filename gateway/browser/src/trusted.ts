interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): string }
}

// the one place where text becomes markup: pages of this site, which escape what users wrote
const policy = (window as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('carapace-page', { createHTML: text => text })

/** Reads a page of this site; its scripts do not run. */
export const pageOf = (text: string): Document => new DOMParser().parseFromString(policy ? policy.createHTML(text) : text, 'text/html')
