"""bitsandbytes' kernels on the CPU device: 8-bit codes are the nearest ones, nf4 equals the CPU's, and a step of an 8-bit optimiser is right."""
import bitsandbytes as bnb
import torch
from bitsandbytes import functional as F


def equal(name, got, want, tolerance=0.0):
    torch.testing.assert_close(got.cpu(), want.cpu(), rtol=tolerance, atol=tolerance)
    print("right:", name)


def main():
    torch.manual_seed(0)
    x = torch.randn(4096)
    codes, state = F.quantize_blockwise(x.cuda())
    code, scaled = state.code.cpu(), x / x.abs().max()
    chosen = (code[codes.cpu().long()] - scaled).abs()
    equal("8 bits: the nearest codes", chosen, (code - scaled[:, None]).abs().amin(1), 1e-6)
    equal("8 bits: dequantised", F.dequantize_blockwise(codes, state), code[codes.cpu().long()] * x.abs().max(), 1e-6)
    packed, state = F.quantize_4bit(x.cuda(), quant_type="nf4")
    want, want_state = F.quantize_4bit(x, quant_type="nf4")
    equal("nf4", packed, want)
    equal("nf4: dequantised", F.dequantize_4bit(packed, state), F.dequantize_4bit(want, want_state).flatten(), 1e-6)
    parameter = torch.nn.Parameter(x.cuda())
    optimizer = bnb.optim.Adam8bit([parameter], lr=0.01, min_8bit_size=1024)
    (parameter * parameter).sum().backward()
    optimizer.step()
    equal("Adam8bit", parameter.detach(), x - 0.01 * x.sign(), 1e-4)


main()
