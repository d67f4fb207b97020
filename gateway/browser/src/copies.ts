/** Shows the copy buttons, which need a script, and lets them copy. */
export function offerCopies(within: ParentNode): void {
  for (const button of within.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false
    button.addEventListener('click', () => void copy(button))
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const label = button.getAttribute('aria-label')
  await navigator.clipboard.writeText(button.dataset.copy ?? '')
  button.classList.add('done')
  button.setAttribute('aria-label', 'Copied')
  setTimeout(() => {
    button.classList.remove('done')
    if (label !== null) button.setAttribute('aria-label', label)
  }, 1_500)
}
