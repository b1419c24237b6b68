import type { ComponentProps, ReactNode } from 'react';
import { Link, type LinkProps } from 'react-router';

export type ButtonVariant = 'primary' | 'secondary' | 'ghost' | 'danger';

interface Look {
  variant?: ButtonVariant;
  size?: 'md' | 'sm';
  icon?: ReactNode;
}

function classOf({ variant = 'secondary', size = 'md' }: Look, extra: string | undefined): string {
  return ['btn', `btn-${variant}`, size === 'sm' ? 'btn-sm' : '', extra ?? '']
    .filter(Boolean)
    .join(' ');
}

export type ButtonProps = ComponentProps<'button'> &
  Look & {
    /** Work is under way: the button keeps its place and width, and answers no click. */
    busy?: boolean;
  };

export function Button({
  variant,
  size,
  icon,
  busy = false,
  className,
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classOf({ variant, size }, className)}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    >
      {icon}
      {children}
    </button>
  );
}

export function ButtonLink({
  variant,
  size,
  icon,
  className,
  children,
  ...rest
}: LinkProps & Look) {
  return (
    <Link {...rest} className={classOf({ variant, size }, className)}>
      {icon}
      {children}
    </Link>
  );
}

/** A button that is only a picture; `label` is its name for everybody else. */
export function IconButton({
  label,
  children,
  className,
  ...rest
}: ComponentProps<'button'> & { label: string }) {
  return (
    <button
      type="button"
      title={label}
      {...rest}
      className={['btn', 'btn-ghost', 'btn-icon', className ?? ''].join(' ')}
      aria-label={label}
    >
      {children}
    </button>
  );
}
